/** True for an integer beyond ±(2^53-1), which a double cannot tell from its neighbours, and for a number beyond all doubles (PW106). */
export function isInexact(digits: string): boolean {
  const number = Number(digits);
  return !Number.isFinite(number) || (/^(?:[-+]?\d+|0x[\dA-Fa-f]+|0o[0-7]+)$/.test(digits) && !Number.isSafeInteger(number));
}
