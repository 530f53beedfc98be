import type { Json } from "../../../value/json.ts";
import { decimal, float, instant, integer } from "./rows.ts";

/** A column as the protocol describes it and mysql2 gives it. */
export interface Column {
  readonly name: string;
  readonly columnType: number;
  readonly columnLength: number;
  readonly flags: number;
  /** MariaDB's own addition: `json` for what is text to the protocol. */
  readonly extendedFormat?: string | undefined;
}

/** A value as mysql2 reads it with the options of this driver: dates, decimals, times and JSON are text, large integers too. */
export type Value = number | string | Buffer | null | Json;

/** Types of the protocol (enum_field_types), and the flag of unsigned numbers. */
const type = {
  decimal: 0,
  tiny: 1,
  float: 4,
  double: 5,
  timestamp: 7,
  long: 8,
  time: 11,
  datetime: 12,
  bit: 16,
  json: 245,
  newDecimal: 246,
};
const unsigned = 32;

/** True for a column whose values are moments, which are read as UTC. */
export const isMoment = ({ columnType }: Column): boolean => columnType === type.timestamp || columnType === type.datetime;

/** A value as JSON. Text and prepared statements give the same, although the protocol writes some types in two ways. */
export function json(value: Value, column: Column): Json {
  if (value === null) return null;
  if (Buffer.isBuffer(value)) return column.columnType === type.bit ? bits(value) : value.toString("base64");
  if (typeof value === "number") return number(value, column);
  if (typeof value !== "string") return value;
  switch (column.columnType) {
    case type.long:
      return integer(value);
    case type.decimal:
    case type.newDecimal:
      return decimal(value);
    case type.timestamp:
    case type.datetime:
      return instant(value);
    case type.time:
      return value.replace(/\.(\d*?)0*$/, (_, digits) => (digits === "" ? "" : `.${digits}`));
    default:
      return column.columnType === type.json || column.extendedFormat === "json" ? parsed(value) : value;
  }
}

function number(value: number, { columnType, columnLength, flags }: Column): Json {
  // BOOLEAN is TINYINT(1), which may also hold other numbers.
  if (columnType === type.tiny && columnLength === 1 && (flags & unsigned) === 0 && (value === 0 || value === 1)) return value === 1;
  // Text has six digits of a single-precision number, and the binary form its neighbour in double precision.
  return columnType === type.float ? float(Number(value.toPrecision(6))) : float(value);
}

/** BIT(n): a number of n bits. */
const bits = (bytes: Buffer): Json => integer(BigInt(`0x0${bytes.toString("hex")}`));

/** Parses a text that the server calls JSON. A text that is no JSON stays a text. */
function parsed(text: string): Json {
  try {
    // JSON.parse gives nothing but JSON.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
