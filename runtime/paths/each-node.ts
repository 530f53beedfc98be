import { isObject, type Json, own, put } from "../value/json.ts";
import { isKey, type Key } from "./nodes.ts";
import { type Mask, walkedMask } from "./nodes-mask.ts";
import { matchesIn, type NodePath, nothingAt, stepsIn } from "./path.ts";

// What a path of kind N matches (spec/transforms 2.1), and the data with something else in those places.

/** True when the path may match several values of this data. */
export const isPlural = (data: Json, path: NodePath): boolean => !stepsIn(data, path).every(isKey);

/** The values that a path matches, in document order; a path that names one place must match. */
export function presentNodes(data: Json, path: NodePath): readonly Json[] {
  if (isRoot(path)) return [data];
  const found = matchesIn(data, path);
  if (found.length === 0 && !isPlural(data, path)) throw nothingAt(path);
  return found.map(({ value }) => value);
}

/** The data with each match replaced by what `change` makes of it, inner ones first; everything else stays. */
export function eachNode(data: Json, path: NodePath, change: (node: Json) => Json): Json {
  if (isRoot(path)) return change(data);
  const changed = (node: Json, { here, below }: Mask): Json => {
    const children = [...below].map(([key, mask]) => [key, changed(child(node, key), mask)] as const);
    const out = withChildren(node, children);
    return here ? change(out) : out;
  };
  return changed(data, walkedMask(data, [path]));
}

/** The same for a change that has to wait: one match after the other. */
export async function asyncEachNode(data: Json, path: NodePath, change: (node: Json) => Promise<Json>): Promise<Json> {
  const changed = async (node: Json, { here, below }: Mask): Promise<Json> => {
    const children: Child[] = [];
    for (const [key, mask] of below) children.push([key, await changed(child(node, key), mask)]);
    const out = withChildren(node, children);
    return here ? await change(out) : out;
  };
  return changed(data, walkedMask(data, [path]));
}

/** The data itself, the default of most transforms, which needs no walk. */
const isRoot = ({ steps }: NodePath): boolean => steps.length === 0;

type Child = readonly [Key, Json];

/** The path has matched in it, so there is a child. */
const child = (node: Json, key: Key): Json =>
  (Array.isArray(node) ? node[Number(key)] : isObject(node) ? own(node, String(key)) : undefined) ?? null;

function withChildren(node: Json, children: readonly Child[]): Json {
  if (children.length === 0) return node;
  if (Array.isArray(node)) {
    const out = [...node];
    for (const [key, value] of children) out[Number(key)] = value;
    return out;
  }
  const out = isObject(node) ? { ...node } : {};
  for (const [key, value] of children) put(out, String(key), value);
  return out;
}

/** ` at "P"` for error texts; the root is `"$"`. */
export const placeOf = (path: Pick<NodePath, "text">): string => ` at "${path.text || "$"}"`;
