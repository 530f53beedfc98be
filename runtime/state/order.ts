import type { Json } from "../value/json.ts";
import { text } from "../value/values.ts";

/** True when `next` is larger: as exact decimals when both are numbers or number texts, else as text by code points (spec/language 5.3). */
export function exceeds(next: Json, current: Json): boolean {
  const a = decimal(next);
  const b = decimal(current);
  if (a === undefined || b === undefined) return Buffer.compare(Buffer.from(text(next)), Buffer.from(text(current))) > 0;
  const exponent = Math.min(a.exponent, b.exponent);
  return scaled(a, exponent) > scaled(b, exponent);
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Longer number texts count as text: their digits would cost more than the rest of the operation. */
export const maxDigits = 1000;

function decimal(value: Json): Decimal | undefined {
  const number = typeof value === "number" || typeof value === "string" ? text(value) : "";
  if (number.length > maxDigits) return undefined;
  const [, whole, fraction = "", exponent = "0"] = /^(-?(?:0|[1-9]\d*))(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(number) ?? [];
  return whole === undefined ? undefined : { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

const scaled = ({ digits, exponent }: Decimal, to: number): bigint => digits * 10n ** BigInt(exponent - to);
