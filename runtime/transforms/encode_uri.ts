import type { Transform } from "../feature.ts";
import type { Json } from "../json.ts";
import { type Conversion, type ConversionArgument, conversion, conversionSchema, convertText } from "../lib/conversion.ts";
import { percent } from "../lib/percent.ts";
import type { Worked } from "../lib/slices.ts";

/** Stage 1. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/** Percent-encodes what cannot stand in a URI, as ECMAScript's `encodeURI` does: its reserved characters stay. A lone surrogate fails. */
export function encode_uri(data: Json, ready: Conversion, act: Worked): Json | Promise<Json> {
  return convertText(data, ready, (text) => percent(encodeURI, text), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Percent-encode a whole URI.",
  schema: conversionSchema,
  effect: "pure",
  async: true,
  prepare,
  run: encode_uri,
};
