import { withColumns } from "../../../value/columns.ts";
import { type Json, type JsonObject, put } from "../../../value/json.ts";

// Values of columns as JSON, alike for every driver (spec/language 5.4.2).

/** Rows of the values that a driver gives for each: columns in their order; of two with the same name the last one counts. */
export function rowsOf<Value>(
  columns: readonly string[],
  lists: readonly (readonly Value[])[],
  read: (value: Value, column: number) => Json,
): JsonObject[] {
  const rows = lists.map((values) => row(columns, values, read));
  return withColumns(rows, columns);
}

function row<Value>(columns: readonly string[], values: readonly Value[], read: (value: Value, column: number) => Json): JsonObject {
  const out: JsonObject = {};
  // A loop with an index is fast; it runs for every cell of every result.
  for (let i = 0; i < columns.length; i++) {
    const value = values[i];
    if (value !== undefined) put(out, columns[i] ?? "", read(value, i));
  }
  return out;
}

/** An integer: a number while every digit fits, else its digits. */
export function integer(value: string | bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/**
 * A decimal: a number when that has the same value in at most 15 significant digits, trailing zeros aside, else its digits
 * (spec/language 5.4.2).
 */
export function decimal(digits: string): Json {
  const [, whole = "", fraction = ""] = /^-?(\d+)(?:\.(\d+))?$/.exec(digits) ?? [];
  const significant = `${whole}${fraction}`.replace(/^0+/, "").replace(/0+$/, "");
  const number = Number(digits);
  const exact = whole !== "" && significant.length <= 15 && Number.isFinite(number);
  // Below 1e-290 a double runs out of digits.
  return exact && (significant === "" || Math.abs(number) > 1e-290) ? number : digits;
}

/** A floating-point number; JSON has no NaN and no infinity, so they are text. */
export function float(number: number): Json {
  return Number.isFinite(number) ? number : String(number);
}

const moment = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?$/;

/**
 * A timestamp as servers write it, in UTC, cut to milliseconds; one without zone counts as UTC. `infinity`, BC and years above 9999 stay as
 * the server writes them.
 */
export function instant(text: string): string {
  const [, date, time, fraction = "", sign, hours = "0", minutes = "0", seconds = "0"] = moment.exec(text) ?? [];
  if (date === undefined) return text;
  const milliseconds = fraction.padEnd(3, "0").slice(0, 3);
  const end = milliseconds === "000" ? "Z" : `.${milliseconds}Z`;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  if (offset === 0) return `${date}T${time}${end}`;
  const utc = Date.parse(`${date}T${time}Z`) + (sign === "-" ? offset : -offset);
  return `${new Date(utc).toISOString().slice(0, -5)}${end}`;
}
