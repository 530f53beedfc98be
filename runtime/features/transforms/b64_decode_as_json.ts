import { decodedJson, decodedJsonWork } from "../../formats/decoded-json.ts";
import { longText } from "../../formats/json-text.ts";
import { type Conversion, conversion, convertText } from "../../paths/conversion.ts";
import { Long } from "../../paths/each-node.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { any } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import { decodeBase64 } from "../../value/base64.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (path: string | null): Conversion => conversion(path);

/** Replaces Base64 by the JSON value whose text it holds. */
export function b64_decode_as_json(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convertText(data, ready, decoded, act);
}

function decoded(encoded: string): Json | Long {
  const text = decodeBase64(encoded);
  return text.length > longText ? new Long(decodedJsonWork(text)) : decodedJson(text);
}

export const spec: Transform<string | null, Conversion> = {
  summary: "Decode a Base64 text and parse it as JSON.",
  schema: { type: "string", context: "path", description: "Path of the Base64 text, which is replaced by the value." },
  effect: "pure",
  async: true,
  prepare,
  run: b64_decode_as_json,
  shape: (data, args) => textConversionShape(data, args, any),
  expects: conversionExpects,
};
