import { onlyValue } from "../../shapes/arguments.ts";
import { stepsShape } from "../../shapes/filtered.ts";
import { any, type Shape } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import { at, text } from "../../value/values.ts";
import type { Filter } from "../feature.ts";

/** One key, dots and brackets in it included, or an index. */
export const access = (value: Json, key: Json): Json => at(value, typeof key === "number" ? key : text(key));

export const spec: Filter = {
  summary: "The value at one key or index.",
  arity: 1,
  run: (value, [key = null]) => access(value, key),
};

/** The shape of the result, for the compiler alone. */
export function shape(value: Shape, [key]: readonly Shape[]): Shape {
  const step = key === undefined ? undefined : onlyValue(key);
  return typeof step === "string" || typeof step === "number" ? stepsShape(value, [step]) : any;
}
