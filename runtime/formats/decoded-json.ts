import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { parseJson } from "./json-text.ts";

/** The value of a decoded text that must be JSON. */
export function decodedJson(text: string): Json {
  const value = parseJson(text);
  if (value === undefined) throw new Failure("transform", "decoded text is not JSON");
  return value;
}
