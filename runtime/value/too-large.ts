import { Failure } from "./failure.ts";
import { longestName } from "./json.ts";

/** The name that a feature makes, or by which it groups, where it is short enough. */
export function boundedName(name: string): string {
  if (name.length > longestName) throw new Failure("transform", `a name is over the limit of ${longestName} characters`);
  return name;
}

/** V8's words for a text, a list or a buffer that is longer than there can be, and for a table with more entries. */
const ofSize =
  /^(?:Invalid (?:string|array|typed array) length|Cannot create a string longer than|Array buffer allocation failed|(?:Set|Map) maximum size exceeded)/;

/**
 * V8's words for calls in calls that need more stack than there is, as they go through a value that is nested in itself thousands of times.
 */
const ofDepth = "Maximum call stack size exceeded";

/**
 * The reason that a failure gives when a value is larger or deeper than the engine can hold; undefined for any other error. Data cause such
 * an error, for example by repeating a long text, or by putting a state into itself in each run: so it is no bug, and the log needs no
 * stack.
 */
export function limitReason(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (ofSize.test(thrown.message)) return "value is too large";
  return thrown instanceof RangeError && thrown.message === ofDepth ? tooDeeplyNested : undefined;
}

export const tooDeeplyNested = "value is nested too deeply";
