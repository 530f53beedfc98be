import { found, ready } from "../../paths/marker-path.ts";
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
  summary: "A path in each element of an array.",
  arity: 1,
  run: (value, [steps = null]) => map(value, steps),
};
