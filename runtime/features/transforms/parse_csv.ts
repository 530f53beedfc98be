import { rowsOf } from "../../formats/csv.ts";
import { type Conversion, type ConversionArgument, convertText, documentConversion, documentSchema } from "../../paths/conversion.ts";
import { Long } from "../../paths/each-node.ts";
import type { Act } from "../../run/run.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { csvShape } from "../../shapes/formats.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => documentConversion(argument);

/** Reads a CSV text as rows, by the names in its first line; all cells are text. */
export function parse_csv(data: Json, ready: Conversion, act: Act): Json | Promise<Json> {
  return convertText(data, ready, (text) => new Long(rowsOf(text)), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Parse a CSV text as a list of rows.",
  schema: documentSchema,
  bounds: "100,000 columns, 1,000,000 more missing cells than cells",
  effect: "pure",
  async: true,
  prepare,
  run: parse_csv,
  texts: "rows",
  shape: (data, args) => textConversionShape(data, args, csvShape()),
  expects: conversionExpects,
};
