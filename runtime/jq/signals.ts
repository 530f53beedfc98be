import type { Json } from "../json.ts";

/** An error of a filter: what `try` catches, and what fails the action when nothing does. */
export class JqError {
  readonly value: Json;
  constructor(value: Json) {
    this.value = value;
  }
}

/**
 * The filter meets what JavaScript cannot mirror for sure: jq itself runs all of it again on the same data, since filters have no effects
 * (jq-jsonpath-regex.md A.4.5). One object, without a stack: this is no mistake of anybody.
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

/** Outputs and steps that a compiled filter may take: jq goes on where it has no bound, and is stopped by time alone. */
export const most = 1_000_000;

/** How deep values may be nested. */
export const deepest = 500;
