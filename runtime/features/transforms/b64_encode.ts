import { type Conversion, type ConversionArgument, conversion, conversionSchema, convert } from "../../paths/conversion.ts";
import { ofAny } from "../../shapes/arguments.ts";
import { conversionExpects, conversionShape } from "../../shapes/conversion.ts";
import { string } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import { encodeUtf8 } from "../../value/utf8.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/**
 * Writes the UTF-8 bytes of a text, or of anything else as compact JSON, in Base64: standard alphabet, with padding. A text with a lone
 * surrogate has none and fails.
 */
export function b64_encode(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convert(data, ready, encoded, act);
}

function encoded(value: Json): string {
  return encodeUtf8(typeof value === "string" ? value : JSON.stringify(value)).toString("base64");
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Encode a value as Base64.",
  schema: conversionSchema,
  bounds: "results of 67,108,864 characters in all",
  effect: "pure",
  async: true,
  prepare,
  run: b64_encode,
  shape: (data, args) => conversionShape(data, args, ofAny(string)),
  expects: conversionExpects,
};
