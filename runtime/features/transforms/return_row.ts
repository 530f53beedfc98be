import { byType, never } from "../../shapes/shape.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { type Json, typeOf } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1: a negative index is PW512. */
export function prepare(index: number): number {
  if (index < 0) throw new Reject("PW512", `row index ${index} is negative`);
  return index;
}

/** The row at a 0-based index. Fails on data that is no array, and beyond its end; a row that is null is a row. */
export function return_row(data: Json, index: number): Json {
  if (!Array.isArray(data)) throw new Failure("transform", `expected an array, found ${typeOf(data)}`);
  const row = data[index];
  if (row === undefined) throw new Failure("transform", `row ${index} is out of range (${data.length} rows)`);
  return row;
}

export const spec: Transform<number> = {
  summary: "Replace a list by one of its rows; fails when there is no such row.",
  schema: { type: "integer", description: "Index of the row: 0 is the first." },
  effect: "pure",
  chooses: "value",
  prepare,
  run: return_row,
  shape: (data) => byType(data, (one) => (one.type === "array" ? one.items : never)),
};
