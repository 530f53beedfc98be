import { type Conversion, type ConversionArgument, conversion, conversionSchema, convertText } from "../../paths/conversion.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { string } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import { percent } from "../../value/percent.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/** Undoes percent-encoding completely; `+` is no blank. */
export function decode_uri_component(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convertText(data, ready, (text) => percent(decodeURIComponent, text), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Percent-decode a part of a URI.",
  schema: conversionSchema,
  effect: "pure",
  async: true,
  prepare,
  run: decode_uri_component,
  shape: (data, args) => textConversionShape(data, args, string),
  expects: conversionExpects,
};
