import type { Work } from "../threads/slices.ts";
import { Failure, Reject } from "../value/failure.ts";
import { isObject, type Json, own, put, typeOf } from "../value/json.ts";
import { childAt, every, indexOf, isDigits, isKey, type Key, type PathStep, valueBelow, walkThrough } from "./nodes.ts";
import { type Match, matchesOf, searchFor } from "./nodes-walk.ts";
import { bad, parseSteps, withoutDot } from "./path-syntax.ts";

/** A parsed path of a transform (spec/transforms 2.1). */
export interface Path<Step extends PathStep = PathStep> {
  /** The text as error texts repeat it (`withoutDot`). */
  readonly text: string;
  /** True for a path that is written with `$`: the rows rule does not apply to it, and digits in quotes are only a name. */
  readonly rooted: boolean;
  readonly steps: readonly Step[];
}

/** Kind V: names at most one value. */
export type ValuePath = Path<Key>;
/** Kind N: may name many values. */
export type NodePath = Path;
/** Kind W: names only. */
export type KeyPath = Path<string>;

/** Kind N. Null, from an unset marker, is refused: it must not read as the root. */
export function nodePath(text: string | null): NodePath {
  if (text === null) throw new Reject("PW209", "path is not set");
  return { text: withoutDot(text), rooted: text.startsWith("$"), steps: parseSteps(text) };
}

/** The path that names the data itself. */
export const wholeData: NodePath = { text: "", rooted: false, steps: [] };

/** Kind V: a path that may match several values is PW510. */
export function valuePath(text: string | null): ValuePath {
  const path = nodePath(text);
  const steps = path.steps.filter(isKey);
  if (steps.length < path.steps.length) throw new Reject("PW510", `path "${path.text}" can match more than one value`);
  return { ...path, steps };
}

/** Kind W: where a result is written (spec/transforms 2.4). */
export function keyPath(text: string | null): KeyPath {
  const path = nodePath(text);
  const steps = path.steps.filter((step) => typeof step === "string");
  if (steps.length === 0 || steps.length < path.steps.length) throw bad(path.text, "a key to write is made of names only");
  return { ...path, steps };
}

/** The value a path names; undefined when there is none, null when it is there and null. */
export function read(data: Json, path: ValuePath): Json | undefined {
  return valueBelow(data, path.steps, path.rooted);
}

/** The value a path names; a path that matches nothing fails (spec/transforms 7). */
export function valueAt(data: Json, path: ValuePath): Json {
  const value = read(data, path);
  if (value === undefined) throw nothingAt(path);
  return value;
}

/** The failure of a path without a match. */
export const nothingAt = ({ text }: Path): Failure => new Failure("transform", `path "${text}" matched nothing`);

/** Rows rule: without `$`, a path that starts with a name is taken in each element of a list (spec/transforms 2.1). */
export function stepsIn(data: Json, { steps, rooted }: NodePath): readonly PathStep[] {
  const [first] = steps;
  const rows = Array.isArray(data) && !rooted && typeof first === "string" && !isDigits(first);
  return rows ? [every, ...steps] : steps;
}

/** Finds the matches of a path of kind N, in document order. */
export function matchesIn(data: Json, path: NodePath): readonly Match[] {
  return matchesOf(data, stepsIn(data, path), path.rooted, walkThrough(data, path.text));
}

/** Finds matches as work that can be done in slices. */
export const matchesWork = (data: Json, path: NodePath): Work<readonly Match[]> =>
  searchFor(data, stepsIn(data, path), path.rooted, walkThrough(data, path.text));

/**
 * The data with a value under a key (spec/transforms 2.4): null data and missing parents become objects. Data that is not an object is
 * replaced when it was itself the source (`fromRoot`), and fails otherwise.
 */
export function write(data: Json, path: KeyPath, value: Json, fromRoot = false): Json {
  return written(fromRoot && !isObject(data) ? null : data, path, value, 0);
}

function written(node: Json, path: KeyPath, value: Json, depth: number): Json {
  const name = path.steps[depth];
  if (name === undefined) return value;
  if (node !== null && !isObject(node)) throw new Failure("transform", `cannot write key "${path.text}": data is ${typeOf(node)}`);
  const out = { ...node };
  const last = depth === path.steps.length - 1;
  put(out, name, last ? value : written(own(out, name) ?? null, path, value, depth + 1));
  return out;
}

/** The data with another value at a place that `read` finds. */
export function replace(data: Json, path: ValuePath, value: Json, depth = 0): Json {
  const step = path.steps[depth];
  if (step === undefined) return value;
  const next = replace(childAt(data, step, path.rooted) ?? null, path, value, depth + 1);
  if (Array.isArray(data)) return data.with(indexOf(data, step, path.rooted) ?? 0, next);
  const out = isObject(data) ? { ...data } : {};
  put(out, String(step), next);
  return out;
}
