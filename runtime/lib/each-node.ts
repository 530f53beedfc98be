import { isObject, type Json, put } from "../json.ts";
import { isKey, type Key } from "./nodes.ts";
import { keysTo, type Match, matchesOf, walkThrough } from "./nodes-walk.ts";
import { type NodePath, nothingAt, stepsIn } from "./path.ts";

// What a path of kind N matches (transforms.md 2.1), and the data with something else in those places.

/** True when the path may match several values of this data. */
export const isPlural = (data: Json, path: NodePath): boolean => !stepsIn(data, path).every(isKey);

/** The values that a path matches, in document order; a path that names one place must match. */
export function presentNodes(data: Json, path: NodePath): readonly Json[] {
  const found = matches(data, path);
  if (found.length === 0 && !isPlural(data, path)) throw nothingAt(path);
  return found.map(({ value }) => value);
}

/** The data with each match replaced by what `change` makes of it, inner ones first; everything else stays. */
export function eachNode(data: Json, path: NodePath, change: (node: Json) => Json): Json {
  const root = place();
  for (const match of matches(data, path)) {
    const end = keysTo(match).reduce(placeBelow, root);
    end.matched = true;
  }
  return changed(data, root, change);
}

const matches = (data: Json, path: NodePath): readonly Match[] =>
  matchesOf(data, stepsIn(data, path), path.rooted, walkThrough(data, path.text));

/** A place on the way to matches: several of them share their way, and one may lie inside another. */
interface Place {
  readonly below: Map<Key, Place>;
  matched: boolean;
}

const place = (): Place => ({ below: new Map(), matched: false });

function placeBelow({ below }: Place, key: Key): Place {
  const there = below.get(key) ?? place();
  below.set(key, there);
  return there;
}

function changed(node: Json, { below, matched }: Place, change: (node: Json) => Json): Json {
  const out = below.size === 0 ? node : withChildren(node, below, change);
  return matched ? change(out) : out;
}

function withChildren(node: Json, below: ReadonlyMap<Key, Place>, change: (node: Json) => Json): Json {
  if (Array.isArray(node)) {
    const out = [...node];
    for (const [key, at] of below) out[Number(key)] = changed(node[Number(key)] ?? null, at, change);
    return out;
  }
  const out = isObject(node) ? { ...node } : {};
  for (const [key, at] of below) put(out, String(key), changed(out[key] ?? null, at, change));
  return out;
}

/** ` at "P"` for error texts; the root is `"$"`. */
export const placeOf = (path: NodePath): string => ` at "${path.text || "$"}"`;
