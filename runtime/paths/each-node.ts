import { atOnce, inSlices, turns, type Work, type WorkOwner } from "../threads/slices.ts";
import { isObject, type Json, type JsonObject, own, put } from "../value/json.ts";
import { isKey, type Key } from "./nodes.ts";
import { childMask, type Mask, maskWorkAt } from "./nodes-mask.ts";
import { matchesIn, matchesWork, type NodePath, nothingAt, stepsIn } from "./path.ts";

// The matches of a path of kind N (spec/transforms 2.1), and the data with other values in their places.

/** True when the path may match several values of this data. */
export const isPlural = (data: Json, path: NodePath): boolean => !stepsIn(data, path).every(isKey);

/** The values that a path matches, in document order; a path that names one place must match. */
export function presentNodes(data: Json, path: NodePath): readonly Json[] {
  if (isRoot(path)) return [data];
  const nodes = matchesIn(data, path);
  if (nodes.length === 0 && !isPlural(data, path)) throw nothingAt(path);
  return nodes.map(({ value }) => value);
}

/** Finds the present matches as work that can be done in slices. */
export function* presentWork(data: Json, path: NodePath): Work<readonly Json[]> {
  if (isRoot(path)) return [data];
  const nodes = yield* matchesWork(data, path);
  if (nodes.length === 0 && !isPlural(data, path)) throw nothingAt(path);
  return nodes.map(({ value }) => value);
}

/** The data with each match replaced by what `change` makes of it, inner ones first; everything else stays. */
export function eachNode(data: Json, path: NodePath, change: (node: Json) => Json): Json {
  return atOnce(eachNodeWork(data, path, change));
}

/** The work of changing one node, for a change that may take long by itself. */
export class Long {
  readonly work: Work<Json>;
  constructor(work: Work<Json>) {
    this.work = work;
  }
}

/** Matches that are changed in about a millisecond. */
const nodesOfSlice = 500;

/** Does the work of `eachNode` in slices. */
export function* eachNodeWork(data: Json, path: NodePath, change: (node: Json) => Json | Long): Work<Json> {
  let nodes = 0;
  const replacement = (node: Json): Json | Work<Json> => {
    const out = change(node);
    return out instanceof Long ? out.work : out;
  };
  function* changed(node: Json, mask: Mask): Work<Json> {
    let copy: JsonObject | Json[] | undefined;
    for (const key of keysIn(node, mask)) {
      if (!isThere(node, key)) continue;
      const inside = childMask(mask, key);
      const inner = child(node, key);
      const next = inside === undefined || isLeaf(inside) ? replacement(inner) : changed(inner, inside);
      const value = isWork(next) ? yield* next : next;
      copy ??= copied(node);
      setChild(copy, key, value);
      if (++nodes % nodesOfSlice === 0) yield;
    }
    const out = copy ?? node;
    if (!mask.here) return out;
    const result = replacement(out);
    return isWork(result) ? yield* result : result;
  }
  if (!isRoot(path)) return yield* changed(data, yield* maskWorkAt(data, path));
  const result = replacement(data);
  return isWork(result) ? yield* result : result;
}

const isLeaf = ({ below, rest }: Mask): boolean => below.size === 0 && rest === undefined;

const noKeys: readonly Key[] = [];

/** The keys of the children that a mask may match, in their order. */
function keysIn(node: Json, { below, rest }: Mask): Iterable<Key> {
  if (typeof node !== "object" || node === null) return noKeys;
  if (rest === undefined) return below.keys();
  return Array.isArray(node) ? node.keys() : Object.keys(node);
}

/** True when the child exists: a mask that was made without the data may name others. An index names no member. */
const isThere = (node: Json, key: Key): boolean =>
  typeof key === "number" ? Array.isArray(node) && key < node.length : isObject(node) && Object.hasOwn(node, key);

/** Tells work from a value: JSON holds no functions, so a `next` that is one belongs to a generator. */
export const isWork = <R extends Json>(result: Json | Work<R>): result is Work<R> =>
  typeof result === "object" && result !== null && "next" in result && typeof result.next === "function";

/** Changes each match by a function that may have to wait, one match after the other. Others have their turns in between. */
export async function asyncEachNode(
  data: Json,
  path: NodePath,
  act: WorkOwner,
  change: (node: Json) => Json | Promise<Json>,
): Promise<Json> {
  const turn = turns(act);
  const changed = async (node: Json, mask: Mask): Promise<Json> => {
    let copy: JsonObject | Json[] | undefined;
    for (const key of keysIn(node, mask)) {
      if (!isThere(node, key)) continue;
      const inside = childMask(mask, key);
      const inner = child(node, key);
      const value = inside === undefined || isLeaf(inside) ? await change(inner) : await changed(inner, inside);
      copy ??= copied(node);
      setChild(copy, key, value);
      if (turn.isDue()) await turn.take();
    }
    return mask.here ? change(copy ?? node) : (copy ?? node);
  };
  return isRoot(path) ? change(data) : changed(data, await inSlices(maskWorkAt(data, path), act));
}

/** The data itself, the default of most transforms, which needs no walk. */
const isRoot = ({ steps }: NodePath): boolean => steps.length === 0;

/** The child at a key. The path has matched inside this child, so it exists. */
const child = (node: Json, key: Key): Json =>
  (Array.isArray(node) ? node[Number(key)] : isObject(node) ? own(node, String(key)) : undefined) ?? null;

const copied = (node: Json): JsonObject | Json[] => (Array.isArray(node) ? node.slice() : isObject(node) ? { ...node } : {});

function setChild(node: JsonObject | Json[], key: Key, value: Json): void {
  if (Array.isArray(node)) node[Number(key)] = value;
  else put(node, String(key), value);
}

/** ` at "P"` for error texts; the root is `"$"`. */
export const placeOf = (path: Pick<NodePath, "text">): string => ` at "${path.text || "$"}"`;
