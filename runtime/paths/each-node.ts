import { inSlices, turns, type Work, type Worked } from "../threads/slices.ts";
import { isObject, type Json, type JsonObject, own, put } from "../value/json.ts";
import { isKey, type Key } from "./nodes.ts";
import { type Mask, maskWork, walkedMask } from "./nodes-mask.ts";
import { matchesIn, matchesWork, type NodePath, nothingAt, stepsIn } from "./path.ts";

// The matches of a path of kind N (spec/transforms 2.1), and the data with something else in those places.

/** True when the path may match several values of this data. */
export const isPlural = (data: Json, path: NodePath): boolean => !stepsIn(data, path).every(isKey);

/** The values that a path matches, in document order; a path that names one place must match. */
export function presentNodes(data: Json, path: NodePath): readonly Json[] {
  if (isRoot(path)) return [data];
  const found = matchesIn(data, path);
  if (found.length === 0 && !isPlural(data, path)) throw nothingAt(path);
  return found.map(({ value }) => value);
}

/** Finds the present matches as work that can be done in slices. */
export function* presentWork(data: Json, path: NodePath): Work<readonly Json[]> {
  if (isRoot(path)) return [data];
  const found = yield* matchesWork(data, path);
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

/** A change of one node that may take long by itself. */
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
  const made = (node: Json): Json | Work<Json> => {
    const out = change(node);
    return out instanceof Long ? out.work : out;
  };
  function* changed(node: Json, { here, below }: Mask): Work<Json> {
    let out = node;
    if (below.size > 0) {
      out = copied(node);
      for (const [key, mask] of below) {
        const inner = child(node, key);
        const next = mask.below.size > 0 ? changed(inner, mask) : made(inner);
        setChild(out, key, isWork(next) ? yield* next : next);
        if (++nodes % nodesOfSlice === 0) yield;
      }
    }
    if (!here) return out;
    const result = made(out);
    return isWork(result) ? yield* result : result;
  }
  if (!isRoot(path)) return yield* changed(data, yield* maskWork(data, [path]));
  const result = made(data);
  return isWork(result) ? yield* result : result;
}

/** JSON holds no functions. */
export const isWork = <R extends Json>(made: Json | Work<R>): made is Work<R> =>
  typeof made === "object" && made !== null && "next" in made && typeof made.next === "function";

/** Changes each match by a function that may have to wait: one match after the other, between which others have their turns. */
export async function asyncEachNode(data: Json, path: NodePath, act: Worked, change: (node: Json) => Json | Promise<Json>): Promise<Json> {
  const turn = turns(act);
  const changed = async (node: Json, { here, below }: Mask): Promise<Json> => {
    let out = node;
    if (below.size > 0) {
      out = copied(node);
      for (const [key, mask] of below) {
        const inner = child(node, key);
        setChild(out, key, mask.below.size > 0 ? await changed(inner, mask) : await change(inner));
        if (turn.isDue()) await turn.take();
      }
    }
    return here ? change(out) : out;
  };
  return isRoot(path) ? change(data) : changed(data, await inSlices(maskWork(data, [path]), act));
}

/** The data itself, the default of most transforms, which needs no walk. */
const isRoot = ({ steps }: NodePath): boolean => steps.length === 0;

type Child = readonly [Key, Json];

/** The path has matched in it, so there is a child. */
const child = (node: Json, key: Key): Json =>
  (Array.isArray(node) ? node[Number(key)] : isObject(node) ? own(node, String(key)) : undefined) ?? null;

function withChildren(node: Json, children: readonly Child[]): Json {
  if (children.length === 0) return node;
  const out = copied(node);
  for (const [key, value] of children) setChild(out, key, value);
  return out;
}

const copied = (node: Json): JsonObject | Json[] => (Array.isArray(node) ? node.slice() : isObject(node) ? { ...node } : {});

function setChild(node: JsonObject | Json[], key: Key, value: Json): void {
  if (Array.isArray(node)) node[Number(key)] = value;
  else put(node, String(key), value);
}

/** ` at "P"` for error texts; the root is `"$"`. */
export const placeOf = (path: Pick<NodePath, "text">): string => ` at "${path.text || "$"}"`;
