import type { Transform } from "../feature.ts";
import type { Json } from "../json.ts";
import { type Conversion, type ConversionArgument, convert, documentConversion, documentSchema } from "../lib/conversion.ts";
import { csvOf } from "../lib/csv.ts";
import { Long } from "../lib/each-node.ts";
import type { Worked } from "../lib/slices.ts";

/** Stage 1. */
export const prepare = (argument: ConversionArgument): Conversion => documentConversion(argument);

/**
 * Writes rows as CSV, with the names of the first row as columns. Formulas of spreadsheets are not neutralised: a program that opens the text
 * may run a cell that starts with `=`, `+`, `-` or `@`.
 */
export function to_csv(data: Json, ready: Conversion, act: Worked): Json | Promise<Json> {
  return convert(data, ready, (value) => new Long(csvOf(value)), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Write a list of rows as CSV.",
  schema: documentSchema,
  bounds: "1,000,000 missing cells, besides as many as there are",
  effect: "pure",
  async: true,
  prepare,
  run: to_csv,
};
