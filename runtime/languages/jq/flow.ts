import type { Json } from "../../value/json.ts";
import { truthy } from "./order.ts";
import { deepest, fail, giveUp, JqError, most, spend } from "./signals.ts";

/** Takes the outputs of a filter, one by one. */
export type Emit = (value: Json) => void;
type Outputs = (emit: Emit) => void;

/** `[f]` */
export function collect(outputs: Outputs): Json[] {
  const list: Json[] = [];
  outputs((value) => {
    spend(1);
    if (list.push(value) > most) giveUp();
  });
  return list;
}

/** The result of a whole filter: null for no output, the value of one, or the list of several. */
export function outputs(filter: Outputs): Json {
  const list = collect(filter);
  return list.length > 1 ? list : (list[0] ?? null);
}

/** `f | g` where `g` reads its input more than once. */
export const pipe = <V>(value: Json, next: (value: Json) => V): V => next(value);

/** An operator whose operands may both fail: jq evaluates the right one first. */
export const rightFirst = <V>(right: Json, left: Json, operator: (left: Json, right: Json) => V): V => operator(left, right);

/** Evaluates operands of which jq evaluates the last one first: when one fails, jq itself runs the filter and reports the error. */
export function inAnyOrder<V>(value: () => V): V {
  try {
    return value();
  } catch (error) {
    if (error instanceof JqError) giveUp();
    throw error;
  }
}

/** `f // g`, where null and false count as no output. */
export const otherwise = (value: Json, instead: () => Json): Json => (truthy(value) ? value : instead());

/** `try f` and `f?` of one output: undefined when it fails. */
export function orNothing(value: () => Json): Json | undefined {
  try {
    return value();
  } catch (error) {
    if (error instanceof JqError) return undefined;
    throw error;
  }
}

/** `try f catch g` */
export function caught(value: () => Json, handle: (error: Json) => Json): Json {
  try {
    return value();
  } catch (error) {
    if (error instanceof JqError) return handle(error.value);
    throw error;
  }
}

/** `error` */
export function error(value: Json): never {
  throw new JqError(value);
}

/** `first(f)`: undefined for no output. `f` is not run beyond its first output. */
export function firstOf(outputs: Outputs): Json | undefined {
  const values: Json[] = [];
  try {
    outputs((value) => {
      values.push(value);
      throw stop;
    });
  } catch (thrown) {
    if (thrown !== stop || values.length === 0) throw thrown;
  }
  return values[0];
}

const stop: unique symbol = Symbol("stop");

/** `reduce f as $x (initial; update)` */
export function reduce(outputs: Outputs, initial: Json, update: (sum: Json, item: Json) => Json): Json {
  let sum = initial;
  let steps = 0;
  outputs((item) => {
    spend(1);
    steps += 1;
    sum = update(sum, item);
  });
  if (steps > unbounded) requireShallow(sum, 0);
  return sum;
}

/** Steps of a `reduce` whose result needs no check, even when each step doubles a value or nests it once more. */
const unbounded = 20;

/** Gives up on a value that the steps have nested too deeply for the functions that read it; each node counts as an element. */
function requireShallow(value: Json, depth: number): void {
  spend(1);
  if (typeof value !== "object" || value === null) return;
  if (depth > deepest) giveUp();
  for (const item of Array.isArray(value) ? value : Object.values(value)) requireShallow(item, depth + 1);
}

/**
 * `range(from; to)` and `range(from; to; by)` of numbers. With `by`, jq also compares and adds values of other types, which is left to jq.
 */
export function range(from: Json, to: Json, by?: Json): readonly Json[] {
  if (typeof from === "number" && typeof to === "number" && (by === undefined || typeof by === "number")) return steps(from, to, by ?? 1);
  return by === undefined ? fail("Range bounds must be numeric") : giveUp();
}

function steps(from: number, to: number, by: number): readonly number[] {
  if (by === 0) return giveUp();
  const list: number[] = [];
  // A step may be too small to change the number, so the length of the list bounds the loop.
  for (let i = from; by > 0 ? i < to : i > to; i += by) if (list.push(i) > most) giveUp();
  spend(list.length);
  return list;
}
