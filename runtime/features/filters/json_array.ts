import { isNever, never, type Shape, string } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** JSON of an array; anything else as the only element, null as none. */
export function json_array(value: Json): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  return value === null ? "[]" : JSON.stringify([value]);
}

export const spec: Filter = {
  summary: "JSON text of an array; anything else becomes its only element.",
  arity: 0,
  text: true,
  run: json_array,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape => (isNever(value) ? never : string);
