import { csvOf } from "../../formats/csv.ts";
import { type Conversion, type ConversionArgument, convert, documentConversion, documentSchema } from "../../paths/conversion.ts";
import { Long } from "../../paths/each-node.ts";
import { conversionExpects, conversionShape } from "../../shapes/conversion.ts";
import { byType, never, string } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => documentConversion(argument);

/**
 * Writes rows as CSV, with the names of the first row as columns. Formulas of spreadsheets are not neutralised: a program that opens the
 * text may run a cell that starts with `=`, `+`, `-` or `@`.
 */
export function to_csv(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convert(data, ready, (value) => new Long(csvOf(value)), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Write a list of rows as CSV.",
  schema: documentSchema,
  bounds: "1,000,000 more missing cells than cells",
  effect: "pure",
  async: true,
  prepare,
  run: to_csv,
  shape: (data, args) => conversionShape(data, args, (rows) => byType(rows, ({ type }) => (type === "array" ? string : never))),
  expects: conversionExpects,
};
