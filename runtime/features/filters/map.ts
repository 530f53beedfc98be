import { found, ready } from "../../paths/marker-path.ts";
import { followedShape, markerPathIn } from "../../shapes/filtered.ts";
import { array, byType, never, nothing, type Shape } from "../../shapes/shape.ts";
import { refuse } from "../../value/filtering.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** The path in each element, null where there is none. */
export function map(value: Json, path: Json): Json {
  if (value === null) return null;
  if (!Array.isArray(value)) return refuse("map", "an array", value);
  const parsed = ready(path, "map");
  return value.map((item) => found(item, parsed));
}

export const spec: Filter = {
  summary: "The values at a path in each element of an array.",
  arity: 1,
  run: (value, [steps = null]) => map(value, steps),
};

/** The shape of the result, for the compiler alone. */
export function shape(value: Shape, [steps]: readonly Shape[]): Shape {
  const path = markerPathIn(steps);
  return byType(value, (one) => (one.type === "null" ? nothing : one.type === "array" ? array(followedShape(one.items, path)) : never));
}
