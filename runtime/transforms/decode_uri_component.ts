import type { Transform } from "../feature.ts";
import type { Json } from "../json.ts";
import { type Conversion, type ConversionArgument, conversion, conversionSchema, convertText } from "../lib/conversion.ts";
import { percent } from "../lib/percent.ts";

/** Stage 1. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/** Undoes percent-encoding completely; `+` is no blank. */
export function decode_uri_component(data: Json, ready: Conversion): Json {
  return convertText(data, ready, (text) => percent(decodeURIComponent, text));
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Percent-decode a part of a URI.",
  schema: conversionSchema,
  effect: "pure",
  prepare,
  run: decode_uri_component,
};
