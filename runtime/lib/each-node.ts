import { Failure } from "../failure.ts";
import { isObject, type Json, put } from "../json.ts";
import { every, keysAt, type NodePath, type PathStep, stepsIn } from "./path.ts";

// What a path of kind N matches (transforms.md 2.1): one value, each child of a wildcard, or a place in each row of a list.

/** True when the path may match several values of this data. */
export const isPlural = (data: Json, path: NodePath): boolean => stepsIn(data, path).includes(every);

/** The matches, in document order. */
export function nodesAt(data: Json, path: NodePath): readonly Json[] {
  let nodes: readonly Json[] = [data];
  for (const step of stepsIn(data, path)) {
    nodes = nodes.flatMap((node) => keysAt(node, step, path.rooted).map((key) => childAt(node, key)));
  }
  return nodes;
}

/** The matches; a path that names one place must have one. */
export function presentNodes(data: Json, path: NodePath): readonly Json[] {
  const nodes = nodesAt(data, path);
  if (nodes.length === 0 && !isPlural(data, path)) throw new Failure("transform", `path "${path.text}" matched nothing`);
  return nodes;
}

/** The data with each match replaced by what `change` makes of it; everything else stays. */
export function eachNode(data: Json, path: NodePath, change: (node: Json) => Json): Json {
  return changed(data, stepsIn(data, path), path.rooted, change);
}

function changed(node: Json, [step, ...rest]: readonly PathStep[], rooted: boolean, change: (node: Json) => Json): Json {
  if (step === undefined) return change(node);
  const keys = keysAt(node, step, rooted);
  if (Array.isArray(node)) {
    const out = [...node];
    for (const key of keys) out[Number(key)] = changed(childAt(node, key), rest, rooted, change);
    return out;
  }
  if (!isObject(node)) return node;
  const out = { ...node };
  for (const key of keys) put(out, String(key), changed(childAt(node, key), rest, rooted, change));
  return out;
}

/** A child whose key `keysAt` gave. */
const childAt = (node: Json, key: string | number): Json =>
  (Array.isArray(node) ? node[Number(key)] : isObject(node) ? node[key] : undefined) ?? null;

/** ` at "P"` for error texts; the root is `"$"`. */
export const placeOf = (path: NodePath): string => ` at "${path.text || "$"}"`;
