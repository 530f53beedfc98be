import { boolean, byType, oneOf, type Shape } from "../../shapes/shape.ts";
import { isObject, type Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** True when set and not empty: `false` and 0 are set, `""`, `[]` and `{}` are empty. */
export function some(value: Json): boolean {
  if (value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}

export const spec: Filter = {
  summary: "True when the value is set and not empty.",
  arity: 0,
  hides: true,
  run: some,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape =>
  byType(value, ({ type }) =>
    type === "null" ? oneOf("boolean", [false]) : type === "boolean" || type === "number" ? oneOf("boolean", [true]) : boolean,
  );
