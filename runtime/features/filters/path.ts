import { follow } from "../../paths/marker-path.ts";
import { followedShape, markerPathIn } from "../../shapes/filtered.ts";
import type { Shape } from "../../shapes/shape.ts";
import type { Json } from "../../value/json.ts";
import type { Filter } from "../feature.ts";

/** A path that is known only at run time; the compiler turns any other into a plain read. */
export const path = (value: Json, steps: Json): Json => follow(value, steps, "path");

export const spec: Filter = {
  summary: "The value at a path.",
  arity: 1,
  run: (value, [steps = null]) => path(value, steps),
};

/** The shape of the result, for the compiler alone. */
export const shape = (value: Shape, [steps]: readonly Shape[]): Shape => followedShape(value, markerPathIn(steps));
