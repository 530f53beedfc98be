/**
 * The bcrypt hash of a text, version 2b, with a salt of 16 bytes. Computed in slices, so that other runs go on meanwhile; a cancelled run
 * stops waiting. The library is loaded on first use.
 */
export async function bcryptHash(text: string, cost: number, salt: Uint8Array, signal: AbortSignal): Promise<string> {
  const { encodeBase64, hash } = await import("bcryptjs");
  signal.throwIfAborted();
  const hashed = hash(text, `$2b$${String(cost).padStart(2, "0")}$${encodeBase64(salt, salt.length)}`);
  return await Promise.race([hashed, aborted(signal)]);
}

/**
 * True when the hash (2a, 2b or 2y) is that of the text. Computed as above; compared in constant time. Text that bcrypt would not see in full,
 * beyond 72 bytes or behind a NUL, belongs to no hash.
 */
export async function bcryptVerify(text: string, hash: string, signal: AbortSignal): Promise<boolean> {
  if (Buffer.byteLength(text) > 72 || text.includes("\0")) return false;
  if (!/^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(hash)) return false;
  const { compare } = await import("bcryptjs");
  signal.throwIfAborted();
  return await Promise.race([compare(text, hash), aborted(signal)]);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
