import { isNever, never, number, type Shape } from "../../shapes/shape.ts";
import { isObject, type Json } from "../../value/json.ts";
import { characters, text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** Characters, elements or keys; digits of a number, without sign, point and `e`; 0 for null. */
export function length(value: Json): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === "number") return text(value).replace(/\D/g, "").length;
  return isObject(value) ? Object.keys(value).length : characters(text(value));
}

export const spec: Filter = {
  summary: "Number of characters, elements or keys.",
  arity: 0,
  hides: true,
  run: length,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape => (isNever(value) ? never : number);
