import { Failure } from "../value/failure.ts";
import { isObject, type Json, own } from "../value/json.ts";

/** The step that names every child of an array or object: `[*]` or `.*` of a `$` path. */
export const every: unique symbol = Symbol("every");

/** A member name, or an index of an array (negative: from the end). */
export type Key = string | number;

/** `start:end:step` of RFC 9535; a bound that is left out follows from the sign of the step. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
}

/** `?expression` of RFC 9535: chooses the children that pass. */
export interface ChildFilter {
  readonly passes: (child: Json, walk: Walk) => boolean;
}

/** A selector: it chooses children of a node (RFC 9535 2.3). */
export type Selector = Key | typeof every | Slice | ChildFilter;

export const isFilter = (selector: Selector): selector is ChildFilter => typeof selector === "object" && "passes" in selector;

/** A step of RFC 9535 that is more than one name, one index or one wildcard. `descend`: taken in each value below as well (`..`). */
export interface Segment {
  readonly selectors: readonly Selector[];
  readonly descend: boolean;
}

/** A step of a path. */
export type PathStep = Key | typeof every | Segment;

export const isSegment = (step: PathStep): step is Segment => typeof step === "object";

/** True when a step names one child at most. */
export const isKey = (step: PathStep | Selector | undefined): step is Key => typeof step === "string" || typeof step === "number";

/** True when a step leaves open which child it takes: a wildcard, a slice, a filter or a list of selectors. */
export function isWild(step: PathStep): boolean {
  if (!isSegment(step)) return step === every;
  const [only, ...others] = step.selectors;
  return others.length > 0 || !isKey(only);
}

/** The name in which a path ends; undefined when its end may be an element, or several members. */
export function lastName(steps: readonly PathStep[]): string | undefined {
  const last = steps.at(-1);
  if (last === undefined || !isSegment(last)) return typeof last === "string" ? last : undefined;
  const [only, ...others] = last.selectors;
  return typeof only === "string" && others.length === 0 ? only : undefined;
}

/** One search through some data: the root that a filter sees as `$`, and how many more nodes may be visited before the search fails. */
export interface Walk {
  readonly root: Json;
  /** As written: error texts repeat it. */
  readonly text: string;
  left: number;
  /** How many nodes the search may visit at its current place. */
  most: number;
}

/**
 * The most visits of a search in slices: far more than a query needs that visits each node once. Several `..` in a row may visit each node
 * thousands of times.
 */
const mostVisits = 10_000_000;

/** The most visits of a search that cannot be interrupted: other requests wait for its end. */
const mostAtOnce = 4_000_000;

/** Starts a walk through some data. */
export const walkThrough = (root: Json, text: string): Walk => ({ root, text, left: mostAtOnce, most: mostAtOnce });

/** Starts a search that is done in slices, and may be longer. */
export const longWalkThrough = (root: Json, text: string): Walk => ({ root, text, left: mostVisits, most: mostVisits });

/** Counts work as visits, so that it is bounded. Some steps cost as much as many visits, and no other request is served during a step. */
export function visit(walk: Walk, nodes = 1): void {
  walk.left -= nodes;
  if (walk.left < 0) throw new Failure("transform", `path "${walk.text}" visits more than ${walk.most} nodes`);
}

/** The most visits of one query inside a filter. It cannot be interrupted, so other requests wait for its end. */
const mostWithin = 500_000;

/** Bounds a query inside a filter, and counts its visits in the search around it as well. */
export function within<R>(walk: Walk, query: () => R): R {
  const spared = walk.left - mostWithin;
  const { most } = walk;
  if (spared <= 0 || most === mostWithin) return query();
  Object.assign(walk, { left: mostWithin, most: mostWithin });
  const result = query();
  Object.assign(walk, { left: walk.left + spared, most });
  return result;
}

const none: readonly Key[] = [];

/** The keys of a node's children that a selector other than a filter or a wildcard chooses, in its order. */
export function keysAt(node: Json, selector: Key | Slice, rooted: boolean): readonly Key[] {
  if (Array.isArray(node)) {
    if (typeof selector === "object") return sliced(node.length, selector);
    const index = indexOf(node, selector, rooted);
    return index === undefined ? none : [index];
  }
  return isObject(node) && typeof selector === "string" && Object.hasOwn(node, selector) ? [selector] : none;
}

/** The indexes of a slice (RFC 9535 2.3.4.2.2). */
function sliced(length: number, { start, end, step }: Slice): readonly number[] {
  const bound = (index: number, least: number, most: number): number => Math.min(Math.max(index < 0 ? length + index : index, least), most);
  const indexes: number[] = [];
  if (step > 0) {
    const last = bound(end ?? length, 0, length);
    for (let i = bound(start ?? 0, 0, length); i < last; i += step) indexes.push(i);
  } else if (step < 0) {
    const last = end === undefined ? -1 : bound(end, -1, length - 1);
    for (let i = bound(start ?? length - 1, -1, length - 1); i > last; i += step) indexes.push(i);
  }
  return indexes;
}

/** The index that a key means in a list; undefined when it means none. Digits without `$` count as an index. */
export function indexOf(list: readonly Json[], key: Key, rooted: boolean): number | undefined {
  if (typeof key === "string" && (rooted || !isDigits(key))) return undefined;
  const index = Number(key) < 0 ? list.length + Number(key) : Number(key);
  return index >= 0 && index < list.length ? index : undefined;
}

/** A name that may be an index as well, in a path without `$`. */
export const isDigits = (name: string): boolean => /^\d+$/.test(name);

/** The child that a key names; undefined when there is none. Only own members count. */
export function childAt(node: Json, key: Key, rooted: boolean): Json | undefined {
  if (Array.isArray(node)) {
    const index = indexOf(node, key, rooted);
    return index === undefined ? undefined : node[index];
  }
  return isObject(node) && typeof key === "string" ? own(node, key) : undefined;
}

/** The value that some keys lead to, one below the other; undefined when there is none, null when it is there and null. */
export function valueBelow(node: Json, keys: readonly Key[], rooted: boolean): Json | undefined {
  let here: Json | undefined = node;
  for (const key of keys) {
    if (here === undefined) return undefined;
    here = childAt(here, key, rooted);
  }
  return here;
}
