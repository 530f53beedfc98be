import type { Json } from "../../../value/json.ts";
import { decimal, float, integer } from "./rows.ts";

/** A column as the server describes it and tedious gives it. */
export interface Column {
  readonly colName: string;
  readonly type: { readonly name: string };
  readonly dataLength?: number | undefined;
  readonly scale?: number | undefined;
}

/** Above this a double does not hold every integer, and the digits that tedious gives of a decimal are not all its own. */
const exact = 2 ** 52;

/** A value as JSON. */
export function json(value: unknown, column: Column): Json {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return value.toString("base64");
  if (value instanceof Date) return moment(value, column.type.name);
  if (typeof value === "number") return number(value, column);
  if (typeof value === "boolean") return value;
  const text = String(value);
  return /^(?:BigInt|IntN)$/.test(column.type.name) ? integer(text) : text;
}

function number(value: number, { type, scale = 4, dataLength }: Column): Json {
  switch (type.name) {
    case "DecimalN":
    case "NumericN":
    case "Money":
    case "MoneyN":
    case "SmallMoney":
      return decimal(Math.abs(value) * 10 ** scale < exact ? value.toFixed(scale) : plain(value));
    case "Real":
      return single(value);
    case "FloatN":
      return dataLength === 4 ? single(value) : float(value);
    default:
      return float(value);
  }
}

/** The digits of a double, without an exponent. */
const plain = (value: number): string => (Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString());

/** A single-precision number with no more digits than it needs. */
function single(value: number): Json {
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return float(shorter);
  }
  return float(value);
}

function moment(value: Date, type: string): string {
  const text = value.toISOString();
  if (type === "Date") return text.slice(0, 10);
  if (type === "Time") return timeOf(text, Reflect.get(value, "nanosecondsDelta"));
  return text.replace(".000Z", "Z");
}

/** Time of day; what is below a millisecond tedious gives apart, in seconds. */
function timeOf(text: string, rest: unknown): string {
  const below = typeof rest === "number" ? String(Math.round(rest * 1e7)).padStart(4, "0") : "";
  return `${text.slice(11, 23)}${below}`.replace(/\.?0+$/, (zeros) => (zeros.startsWith(".") || text.slice(19, 20) === "." ? "" : zeros));
}
