import { read, type ValuePath, valueAt, valuePath } from "../../paths/path.ts";
import { whenKnown } from "../../shapes/arguments.ts";
import { orNull } from "../../shapes/edit.ts";
import { valueIn } from "../../shapes/place.ts";
import { anyObject, array, boolean, byType, never, nothing, number, type Shape, string, union } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { Distinct } from "../../value/canonical.ts";
import { Failure } from "../../value/failure.ts";
import { type Json, typeOf } from "../../value/json.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly from?: string | null;
  readonly paths?: readonly (string | null)[] | null;
  readonly flatten?: boolean | null;
  readonly dedupe?: boolean | null;
}

interface Ready {
  readonly from: ValuePath;
  readonly paths: readonly ValuePath[];
  readonly flatten: boolean;
  readonly dedupe: boolean;
}

/** Stage 1 parses the paths. */
export function prepare({ from, paths, flatten, dedupe }: Args): Ready {
  return {
    from: valuePath(from ?? ""),
    paths: (paths ?? []).map(valuePath),
    flatten: flatten === true,
    dedupe: dedupe === true,
  };
}

/**
 * Collects values of the elements of an array: the elements themselves, the value at one path of each, or a list of the values at several.
 * A path that an element does not have gives null. Then nested arrays are spliced, at every depth, and of equal values the first is kept.
 */
export function extract_array(data: Json, ready: Ready, act: WorkOwner): Json | Promise<Json> {
  const { from } = ready;
  const list = valueAt(data, from);
  if (!Array.isArray(list)) throw new Failure("transform", `expected an array at "${from.text || "$"}", found ${typeOf(list)}`);
  return inSlices(extracted(list, ready), act);
}

/** Elements that take about a millisecond. */
const itemsOfSlice = 1_000;

function* extracted(list: readonly Json[], { paths, flatten, dedupe }: Ready): Work<Json[]> {
  const values: Json[] = [];
  for (const [i, item] of list.entries()) {
    const value = collect(item, paths);
    if (flatten && Array.isArray(value)) splice(value, values);
    else values.push(value);
    if ((i + 1) % itemsOfSlice === 0) yield;
  }
  return dedupe ? yield* distinct(values) : values;
}

function collect(item: Json, paths: readonly ValuePath[]): Json {
  const [first, ...others] = paths;
  if (first === undefined) return item;
  return others.length === 0 ? (read(item, first) ?? null) : paths.map((path) => read(item, path) ?? null);
}

function splice(values: readonly Json[], out: Json[]): void {
  for (const value of values) {
    if (Array.isArray(value)) splice(value, out);
    else out.push(value);
  }
}

/** The first of equal values, in their order. */
function* distinct(values: readonly Json[]): Work<Json[]> {
  const unique = new Distinct();
  const out: Json[] = [];
  for (const [i, value] of values.entries()) {
    if (unique.add(value)) out.push(value);
    if ((i + 1) % itemsOfSlice === 0) yield;
  }
  return out;
}

function shape(data: Shape, args: ShapedArguments<Args>): Shape {
  return whenKnown(args, prepare, ({ from, paths, flatten }) =>
    byType(valueIn(data, from.steps, from.rooted).shape, (list) => {
      if (list.type !== "array") return never;
      const values = collectedShape(list.items, paths);
      return array(flatten ? splicedShape(values) : values);
    }),
  );
}

function collectedShape(item: Shape, paths: readonly ValuePath[]): Shape {
  const [first, ...others] = paths.map(({ steps, rooted }) => orNull(valueIn(item, steps, rooted)));
  if (first === undefined) return item;
  return others.length === 0 ? first : array(union(first, ...others));
}

function splicedShape(value: Shape): Shape {
  if (value.type === "any") return union(nothing, boolean, number, string, anyObject);
  return byType(value, (one) => (one.type === "array" ? splicedShape(one.items) : one));
}

export const spec: Transform<Args, Ready> = {
  summary: "Collect values of the elements of a list.",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      from: { type: "string", context: "path", description: "Path of the list. Default: the data itself." },
      paths: {
        type: "array",
        items: { type: "string", context: "path", description: "Path of a value in an element." },
        description:
          "The paths to take from each element: one path gives a list of values, several give a list for each element. Default: all of it.",
      },
      flatten: { type: "boolean", default: false, description: "Splice nested lists into the result, at every depth." },
      dedupe: { type: "boolean", default: false, description: "Keep only the first of equal values; the order of members does not count." },
    },
  },
  effect: "pure",
  extracts: true,
  async: true,
  prepare,
  run: extract_array,
  shape,
};
