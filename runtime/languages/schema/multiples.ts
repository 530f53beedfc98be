/** A number as its shortest decimal text: `digits`, with the point moved by some places. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** True when a number is a multiple of another one, by their decimal texts: 19.99 is a multiple of 0.01, although their doubles are not. */
export function isMultipleOf(value: number, unit: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(unit)) return value % unit === 0;
  if (!Number.isFinite(value)) return false;
  const [a, b] = [decimalOf(value), decimalOf(unit)];
  const least = Math.min(a.exponent, b.exponent);
  return scaled(a, least) % scaled(b, least) === 0n;
}

const scaled = ({ digits, exponent }: Decimal, least: number): bigint => digits * 10n ** BigInt(exponent - least);

function decimalOf(value: number): Decimal {
  const [text = "", exponent = ""] = value.toExponential().split("e");
  const [, places = ""] = text.split(".");
  return { digits: BigInt(text.replace(".", "")), exponent: Number(exponent) - places.length };
}
