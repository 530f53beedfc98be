import { isNever, never, type Shape, string } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";
import { json_value_of } from "./internal.ts";

/** An object or array as compact JSON, anything else as the JSON string of its text; null gives the text `null`. */
export function json_stringify(value: Json): string {
  return value === null ? "null" : JSON.stringify(json_value_of(value));
}

export const spec: Filter = {
  summary: "JSON text of an object or array; JSON string of anything else.",
  arity: 0,
  text: true,
  run: json_stringify,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape => (isNever(value) ? never : string);
