import { byType, never, number, oneOf, type Shape } from "../../shapes/shape.ts";
import { refuse } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import { isNumberText } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** A string that is a JSON number becomes that number, a boolean 1 or 0. Fails for anything else, and for digits beyond a double. */
export function to_number(value: Json): number | null {
  if (value === null || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  const number = typeof value === "string" && isNumberText(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : refuse("to_number", "a number", value);
}

export const spec: Filter = {
  summary: "A numeric string or a boolean as number.",
  arity: 0,
  run: to_number,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape =>
  byType(value, (one) => {
    if (one.type === "null" || one.type === "number") return one;
    return one.type === "boolean" ? oneOf("number", [0, 1]) : one.type === "string" ? number : never;
  });
