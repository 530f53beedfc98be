import { isObject, type Json } from "../json.ts";
import { every, isSegment, isWild, type Key, keysAt, type PathStep, type Segment, type Selector, visit, type Walk } from "./nodes.ts";

/** A value that a path has reached, and how. */
export interface Match {
  readonly value: Json;
  /** The node around it; undefined for the root. */
  readonly above: Match | undefined;
  /** Its name or index there. */
  readonly key: Key;
  /** The path does not name the key: a wildcard, a slice, a filter or a list of selectors has chosen it. */
  readonly wild: boolean;
}

interface Route {
  readonly steps: readonly PathStep[];
  readonly rooted: boolean;
  readonly walk: Walk;
  readonly found: Match[];
}

/** The matches of a path, in document order; a node that is reached in several ways is there several times (RFC 9535 2.1.2). */
export function matchesOf(from: Json, steps: readonly PathStep[], rooted: boolean, walk: Walk): readonly Match[] {
  const found: Match[] = [];
  follow({ value: from, above: undefined, key: "", wild: false }, 0, { steps, rooted, walk, found });
  return found;
}

/** Takes the steps from a depth on. */
function follow(at: Match, depth: number, route: Route): void {
  visit(route.walk);
  const step = route.steps[depth];
  if (step === undefined) route.found.push(at);
  else if (!isSegment(step)) choose(at, step, isWild(step), depth, route);
  else if (step.descend) descend(at, step, depth, route);
  else select(at, step, depth, route);
}

function choose(at: Match, selector: Selector, wild: boolean, depth: number, route: Route): void {
  for (const key of keysAt(at.value, selector, route.rooted, route.walk)) follow(below(at, key, wild), depth + 1, route);
}

function select(at: Match, segment: Segment, depth: number, route: Route): void {
  for (const selector of segment.selectors) choose(at, selector, isWild(segment), depth, route);
}

/** A node before its children, those in their order: RFC 9535 2.5.2. */
function descend(at: Match, segment: Segment, depth: number, route: Route): void {
  visit(route.walk);
  select(at, segment, depth, route);
  for (const key of keysAt(at.value, every, route.rooted, route.walk)) descend(below(at, key, false), segment, depth, route);
}

function below(above: Match, key: Key, wild: boolean): Match {
  const { value } = above;
  const child = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined;
  // `keysAt` gave the key, so there is a child.
  return { value: child ?? null, above, key, wild };
}

/** The keys that lead from the root to a match. */
export function keysTo(match: Match): readonly Key[] {
  const keys: Key[] = [];
  for (let at = match; at.above !== undefined; at = at.above) keys.push(at.key);
  return keys.reverse();
}

/** Those of them that the path does not name, in its order. */
export function wildKeysTo(match: Match): readonly Key[] {
  const keys: Key[] = [];
  for (let at = match; at.above !== undefined; at = at.above) if (at.wild) keys.push(at.key);
  return keys.reverse();
}
