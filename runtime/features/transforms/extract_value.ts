import { type ValuePath, valueAt, valuePath } from "../../paths/path.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { valueIn } from "../../shapes/place.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (path: string | null): ValuePath => valuePath(path);

/**
 * The value at a path, which becomes the data. A present null is a value; a path that matches nothing fails. Names are not looked up in the
 * rows of an array.
 */
export function extract_value(data: Json, path: ValuePath): Json {
  return valueAt(data, path);
}

export const spec: Transform<string | null, ValuePath> = {
  summary: "Replace the data by the value at a path; fails when there is none.",
  schema: {
    type: "string",
    context: "path",
    description: "Path of the value, such as `body[0].id`, `['a.b']` or `$.user.id`. It must name one value.",
  },
  effect: "pure",
  extracts: true,
  chooses: "value",
  prepare,
  run: extract_value,
  shape: (data, args) => whenKnown(args, valuePath, ({ steps, rooted }) => valueIn(data, steps, rooted).shape),
  expects: (path) => placesOf([path]),
};
