import type { Json } from "../../value/json.ts";

/** An error of a filter: what `try` catches, and what fails the action when nothing does. */
export class JqError {
  readonly value: Json;
  constructor(value: Json) {
    this.value = value;
  }
}

/**
 * Thrown when JavaScript cannot be sure to give the result of jq: jq itself runs the whole filter again on the same data, since filters
 * have no effects (spec/jq-jsonpath-regex A.4.5). There is one object without a stack, because this is no mistake of anybody.
 */
export const bail: unique symbol = Symbol("bail");

/** Leaves the compiled filter. */
export function giveUp(): never {
  throw bail;
}

/** Fails the filter with a message. */
export function fail(message: string): never {
  throw new JqError(message);
}

/** Outputs that a compiled filter may have, and the length of a range. */
export const most = 1_000_000;

/**
 * Elements that a compiled filter may go over in one run, each about ten nanoseconds. Loops in loops, and lists and texts that grow by
 * copies, take time that grows faster than the data: jq goes on in a thread of its own, where time alone is the bound.
 */
const mostSteps = 10_000_000;

/** Steps of the filter that runs. One counter serves all filters, since none of them waits and so only one runs at a time. */
let steps = 0;

export function start(): void {
  steps = 0;
}

export function spend(count: number): void {
  steps += count;
  if (steps > mostSteps) giveUp();
}

/** Characters that take as long as one element, where a text is read or copied as a whole. */
const charactersOfStep = 8;

/** Counts a text that is gone over: texts that grow in a loop take time, too. */
export function spendText(length: number): void {
  spend(1 + length / charactersOfStep);
}

/** How deep values may be nested. */
export const deepest = 500;
