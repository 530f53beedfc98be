import { isNever, never, type Shape, string } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** Text of anything; null is empty. */
export const to_string = (value: Json): string => text(value);

export const spec: Filter = {
  summary: "Any value as text; null is empty.",
  arity: 0,
  takesText: true,
  text: true,
  run: to_string,
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape): Shape => (isNever(value) ? never : string);
