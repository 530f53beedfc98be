import { type Conversion, type ConversionArgument, conversion, conversionSchema, convertText } from "../../paths/conversion.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { string } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import { percent } from "../../value/percent.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/** Percent-encodes what cannot stand in a URI, as ECMAScript's `encodeURI` does: its reserved characters stay. A lone surrogate fails. */
export function encode_uri(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convertText(data, ready, (text) => percent(encodeURI, text), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Percent-encode a whole URI.",
  schema: conversionSchema,
  effect: "pure",
  async: true,
  prepare,
  run: encode_uri,
  shape: (data, args) => textConversionShape(data, args, string),
  expects: conversionExpects,
};
