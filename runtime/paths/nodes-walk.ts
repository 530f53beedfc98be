import type { Work } from "../threads/slices.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import {
  type ChildFilter,
  every,
  isFilter,
  isSegment,
  isWild,
  type Key,
  keysAt,
  type PathStep,
  type Segment,
  type Selector,
  visit,
  type Walk,
} from "./nodes.ts";

/** A value that a path has reached, and how. */
export interface Match {
  readonly value: Json;
  /** The node around it; undefined for the root. */
  readonly above: Match | undefined;
  /** The name or index of the value in the node around it. */
  readonly key: Key;
  /** True when the path does not name the key: a wildcard, a slice, a filter or a list of selectors has chosen it. */
  readonly wild: boolean;
}

/** The matches of a path, in document order; a node that is reached in several ways is there several times (RFC 9535 2.1.2). */
export function matchesOf(from: Json, steps: readonly PathStep[], rooted: boolean, walk: Walk): readonly Match[] {
  const search = new Search(from, steps, rooted, walk);
  search.advance(Number.POSITIVE_INFINITY);
  return search.found;
}

/** Searches as work that can be done in slices. */
export function* searchFor(from: Json, steps: readonly PathStep[], rooted: boolean, walk: Walk): Work<readonly Match[]> {
  const search = new Search(from, steps, rooted, walk);
  while (!search.advance(visitsOfSlice)) yield;
  return search.found;
}

/** True when a path matches anything. */
export function matches(from: Json, steps: readonly PathStep[], rooted: boolean, walk: Walk): boolean {
  const search = new Search(from, steps, rooted, walk);
  while (search.found.length === 0 && !search.advance(1)) {}
  return search.found.length > 0;
}

/** Visits that take about a millisecond. */
const visitsOfSlice = 5_000;

/** Children of a node that the search has still to visit. */
interface Branch {
  readonly at: Match;
  /** Absent: all elements of a list. */
  readonly keys: readonly Key[] | undefined;
  readonly count: number;
  next: number;
  /** Chooses the children that pass; undefined when all do. */
  readonly filter: ChildFilter | undefined;
  readonly wild: boolean;
  /** The step that has chosen these children. */
  readonly depth: number;
  /** The step itself, when it is taken in every value below the node; the branch then holds all children of the node. */
  readonly descending: Segment | undefined;
}

/** A search that can be interrupted: instead of recursion it keeps a list of branches, the innermost last. */
class Search {
  readonly found: Match[] = [];
  readonly #branches: Branch[] = [];
  readonly #steps: readonly PathStep[];
  readonly #rooted: boolean;
  readonly #walk: Walk;

  constructor(from: Json, steps: readonly PathStep[], rooted: boolean, walk: Walk) {
    this.#steps = steps;
    this.#rooted = rooted;
    this.#walk = walk;
    this.#follow({ value: from, above: undefined, key: "", wild: false }, 0);
  }

  /** Visits about `visits` more nodes; true when the search is complete. */
  advance(visits: number): boolean {
    const walk = this.#walk;
    const until = walk.left - visits;
    const branches = this.#branches;
    for (let branch = branches.at(-1); branch !== undefined; branch = branches.at(-1)) {
      if (branch.next === branch.count) branches.pop();
      else if (walk.left <= until) return false;
      else this.#enter(branch, branch.keys === undefined ? branch.next++ : (branch.keys[branch.next++] ?? 0));
    }
    return true;
  }

  #enter({ at, filter, wild, depth, descending }: Branch, key: Key): void {
    const value = childOf(at.value, key);
    if (filter !== undefined) {
      visit(this.#walk);
      if (!filter.passes(value, this.#walk)) return;
    }
    const child = { value, above: at, key, wild };
    if (descending === undefined) this.#follow(child, depth + 1);
    else this.#descend(child, descending, depth);
  }

  /** Takes the steps from index `depth` on. */
  #follow(at: Match, depth: number): void {
    visit(this.#walk);
    const step = this.#steps[depth];
    if (step === undefined) this.found.push(at);
    else if (!isSegment(step)) this.#choose(at, step, isWild(step), depth);
    else if (step.descend) this.#descend(at, step, depth);
    else this.#select(at, step, depth);
  }

  /** Visits a node before its children, and the children in their order (RFC 9535 2.5.2). */
  #descend(at: Match, segment: Segment, depth: number): void {
    visit(this.#walk);
    this.#choose(at, every, false, depth, segment);
    this.#select(at, segment, depth);
  }

  /** Adds the branches in reverse order, since the last branch is visited first. */
  #select(at: Match, segment: Segment, depth: number): void {
    const wild = isWild(segment);
    for (let i = segment.selectors.length - 1; i >= 0; i--) {
      const selector = segment.selectors[i];
      if (selector !== undefined) this.#choose(at, selector, wild, depth);
    }
  }

  #choose(at: Match, selector: Selector, wild: boolean, depth: number, descending?: Segment): void {
    const { value } = at;
    if (typeof value !== "object" || value === null) return;
    const filter = isFilter(selector) ? selector : undefined;
    const keys = isFilter(selector) || selector === every ? allKeys(value) : keysAt(value, selector, this.#rooted);
    const count = keys?.length ?? (Array.isArray(value) ? value.length : 0);
    if (count > 0) this.#branches.push({ at, keys, count, next: 0, filter, wild, depth, descending });
  }
}

/** The keys of all children; undefined for a list, whose indexes need not be stored. */
const allKeys = (node: Json[] | JsonObject): readonly Key[] | undefined => (Array.isArray(node) ? undefined : Object.keys(node));

/** `keysAt` gave the key, so there is a child. */
const childOf = (node: Json, key: Key): Json => (Array.isArray(node) ? node[Number(key)] : isObject(node) ? node[key] : undefined) ?? null;

/** The keys that lead from the root to a match. */
export function keysTo(match: Match): readonly Key[] {
  const keys: Key[] = [];
  for (let at = match; at.above !== undefined; at = at.above) keys.push(at.key);
  return keys.reverse();
}

/** The keys of a match that the path leaves open, in the order of the path. */
export function wildKeysTo(match: Match): readonly Key[] {
  const keys: Key[] = [];
  for (let at = match; at.above !== undefined; at = at.above) if (at.wild) keys.push(at.key);
  return keys.reverse();
}
