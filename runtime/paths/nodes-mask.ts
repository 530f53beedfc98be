import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import { isObject, type Json, type JsonObject, typeOf } from "../value/json.ts";
import { every, isDigits, isSegment, type Key, type PathStep } from "./nodes.ts";
import { keysTo } from "./nodes-walk.ts";
import { matchesWork, type NodePath, stepsIn } from "./path.ts";

/** The parts of a value that some paths match, as a tree beside the value. */
export interface Mask {
  /** True when the value itself is matched. */
  readonly here: boolean;
  /** Masks of the children that are matched, or that hold matches. */
  readonly below: ReadonlyMap<Key, Mask>;
  /** The mask of every child that `below` does not name. */
  readonly rest: Mask | undefined;
  /**
   * The keys of `below`, when each of those children is matched as a whole and no other child is: reading this set is 1.3 times as fast as
   * reading `below`.
   */
  readonly whole: ReadonlySet<Key> | undefined;
}

/** Paths of kind N, ready to be matched together. */
export interface NodePaths {
  readonly paths: readonly NodePath[];
  /** Masks that are the same for all data. */
  readonly inObjects: Mask | undefined;
  readonly inLists: Mask | undefined;
}

/** Stage 1. Paths of names, wildcards and indexes from the start are matched here, once and for all. */
export function nodePaths(paths: readonly NodePath[]): NodePaths {
  return { paths, inObjects: fixedMask({}, paths), inLists: fixedMask([], paths) };
}

/** The data, when it can have members; anything else fails (spec/transforms 4). */
export function container(data: Json): JsonObject | Json[] {
  if (Array.isArray(data) || isObject(data)) return data;
  throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
}

/** Marks the nodes of some data that the paths match, as work that can be done in slices. A scalar fails: it has no members. */
export const maskWorkOf = (data: Json, paths: NodePaths): Work<Mask> => maskWorkIn(container(data), paths);

function* maskWorkIn(data: Json, { paths, inObjects, inLists }: NodePaths): Work<Mask> {
  return (isObject(data) ? inObjects : inLists) ?? (yield* maskWork(data, paths));
}

const byPath = new WeakMap<NodePath, NodePaths>();

/** Marks the matches of one path in any data; the masks that do not depend on the data are made once. */
export function maskWorkAt(data: Json, path: NodePath): Work<Mask> {
  const paths = byPath.get(path) ?? nodePaths([path]);
  byPath.set(path, paths);
  return maskWorkIn(data, paths);
}

/** The mask of a child; undefined when nothing in the child is matched. */
export const childMask = ({ below, rest }: Mask, key: Key): Mask | undefined => (below.size === 0 ? rest : (below.get(key) ?? rest));

/** A mask while it is made. */
interface Draft {
  here: boolean;
  below: Map<Key, Draft>;
  rest: Draft | undefined;
  whole: ReadonlySet<Key> | undefined;
}

const draft = (): Draft => ({ here: false, below: nothing, rest: undefined, whole: undefined });

/** Shared by drafts without children: most matches have none, and making a million maps takes a second. */
const nothing: Map<Key, Draft> = new Map();

function draftBelow(mask: Draft, key: Key): Draft {
  const present = mask.below.get(key);
  if (present !== undefined) return present;
  if (mask.below === nothing) mask.below = new Map();
  const there = draft();
  mask.below.set(key, there);
  return there;
}

/** Matches that are put into a mask in about a millisecond. */
const matchesOfSlice = 1_000;

/** Marks the matches in this data only: every match has a child of its own in `below`. */
function* maskWork(data: Json, paths: readonly NodePath[]): Work<Mask> {
  const root = draft();
  for (const path of paths) {
    for (const [i, match] of (yield* matchesWork(data, path)).entries()) {
      keysTo(match).reduce(draftBelow, root).here = true;
      if ((i + 1) % matchesOfSlice === 0) yield;
    }
  }
  return root;
}

/** The mask for all data of one type; undefined when the matches depend on more of the data than whether it is a list or an object. */
function fixedMask(sort: [] | Readonly<Record<string, never>>, paths: readonly NodePath[]): Mask | undefined {
  const root = draft();
  for (const path of paths) {
    let here: Draft | undefined = root;
    for (const step of stepsIn(sort, path)) {
      here = fixedBelow(here, step, path.rooted);
      if (here === undefined) return undefined;
    }
    here.here = true;
  }
  return finished(root);
}

function finished(mask: Draft): Mask {
  const children = [...mask.below.values(), ...(mask.rest === undefined ? [] : [mask.rest])];
  for (const child of children) finished(child);
  if (mask.rest === undefined && children.every(({ here }) => here)) mask.whole = new Set(mask.below.keys());
  return mask;
}

function fixedBelow(mask: Draft, step: PathStep, rooted: boolean): Draft | undefined {
  // A child would need the masks of both its name and the wildcard.
  if (step === every ? mask.below.size > 0 : mask.rest !== undefined) return undefined;
  if (step === every) {
    mask.rest ??= draft();
    return mask.rest;
  }
  if (isSegment(step)) return undefined;
  const isFixed = typeof step === "number" ? step >= 0 : rooted || !isDigits(step);
  return isFixed ? draftBelow(mask, step) : undefined;
}
