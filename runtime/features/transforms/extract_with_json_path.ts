import { isKey, longWalkThrough } from "../../paths/nodes.ts";
import { searchFor } from "../../paths/nodes-walk.ts";
import { type NodePath, nodePath, type ValuePath, valueAt, valuePath } from "../../paths/path.ts";
import type { Act } from "../../run/run.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { nodesBelow, valueIn } from "../../shapes/place.ts";
import { array } from "../../shapes/shape.ts";
import { inSlices } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** A path of one value at most, or a query. */
type Extraction = { readonly one: ValuePath } | { readonly all: NodePath };

/** Stage 1 parses the query. A query of names alone is read as a path, which must lead to a value. */
export function prepare(text: string | null): Extraction {
  const path = nodePath(text);
  return path.steps.every(isKey) ? { one: valuePath(text) } : { all: path };
}

/**
 * Replaces the data by what a query finds: all values in document order, an empty list when there is none. A path that names one value
 * gives that value, and fails when it is missing. Names are not looked up in the rows of an array.
 */
export async function extract_with_json_path(data: Json, extraction: Extraction, act: Act): Promise<Json> {
  if ("one" in extraction) return valueAt(data, extraction.one);
  const { steps, rooted, text } = extraction.all;
  const matches = await inSlices(searchFor(data, steps, rooted, longWalkThrough(data, text)), act);
  return matches.map(({ value }) => value);
}

export const spec: Transform<string | null, Extraction> = {
  summary: "Replace the data by all values that a JSONPath query finds.",
  schema: {
    type: "string",
    context: "path",
    description: "JSONPath query (RFC 9535), such as `$..author` or `$.books[?@.price < 10].title`, or a path of one value.",
  },
  effect: "pure",
  extracts: true,
  async: true,
  bounds: "10,000,000 nodes, 500,000 in one query of a filter",
  prepare,
  run: extract_with_json_path,
  shape: (data, args) =>
    whenKnown(args, prepare, (extraction) =>
      "one" in extraction
        ? valueIn(data, extraction.one.steps, extraction.one.rooted).shape
        : array(nodesBelow(data, extraction.all.steps, extraction.all.rooted)),
    ),
  expects: (path) => placesOf([path]),
};
