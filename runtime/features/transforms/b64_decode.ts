import { type Conversion, conversion, convertText } from "../../paths/conversion.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { string } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import { decodeBase64 } from "../../value/base64.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (path: string | null): Conversion => conversion(path);

/** Replaces Base64 by the text it holds. Either alphabet; padding and white space are optional; the bytes must be UTF-8. */
export function b64_decode(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convertText(data, ready, decodeBase64, act);
}

export const spec: Transform<string | null, Conversion> = {
  summary: "Decode a Base64 text.",
  schema: { type: "string", context: "path", description: "Path of the Base64 text, which is decoded in place." },
  effect: "pure",
  async: true,
  prepare,
  run: b64_decode,
  shape: (data, args) => textConversionShape(data, args, string),
  expects: conversionExpects,
};
