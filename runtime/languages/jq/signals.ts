import type { Json } from "../../value/json.ts";

/** An error of a filter. `try` catches it; without a `try` it fails the action. */
export class JqError {
  readonly value: Json;
  constructor(value: Json) {
    this.value = value;
  }
}

/**
 * Thrown when JavaScript cannot be sure to give the result of jq: jq itself runs the whole filter again on the same data, since filters
 * have no effects (spec/jq-jsonpath-regex A.4.5). There is only one such object, without a stack, because it reports no mistake.
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
 * Elements that a compiled filter may visit in one run, each of which takes about ten nanoseconds. Loops in loops, and lists and texts that
 * grow by copies, take time that grows faster than the data. Beyond the bound jq runs the filter in a thread of its own, where only time is
 * bounded.
 */
const mostSteps = 10_000_000;

/** Steps of the filter that is running. One counter serves all filters: none of them waits, so only one runs at a time. */
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

/** Counts a text that is read as a whole: texts that grow in a loop take time, too. */
export function spendText(length: number): void {
  spend(1 + length / charactersOfStep);
}

/** Deepest nesting of values. */
export const deepest = 500;
