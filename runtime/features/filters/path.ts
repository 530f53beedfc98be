import { follow } from "../../paths/marker-path.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** A path that is known only at run time; the compiler turns any other into a plain read. */
export const path = (value: Json, steps: Json): Json => follow(value, steps, "path");

export const spec: Filter = {
  summary: "A path.",
  arity: 1,
  run: (value, [steps = null]) => path(value, steps),
};
