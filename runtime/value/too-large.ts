import { Failure } from "./failure.ts";
import { longestName } from "./json.ts";

/** A name that a feature makes or groups by; fails when it is too long. */
export function boundedName(name: string): string {
  if (name.length > longestName) throw new Failure("transform", `a name is over the limit of ${longestName} characters`);
  return name;
}

/** V8's messages for a text, a list or a buffer that is too long, and for a table with too many entries. */
const ofSize =
  /^(?:Invalid (?:string|array|typed array) length|Cannot create a string longer than|Array buffer allocation failed|(?:Set|Map) maximum size exceeded)/;

/** V8's message when nested calls need more stack than there is, for example to walk a value that is nested thousands of levels deep. */
const ofDepth = "Maximum call stack size exceeded";

/**
 * The reason of a failure when a value is larger or deeper than the engine can hold; undefined for any other error. Data cause such an
 * error, for example by repeating a long text, or by nesting a state in itself in each run. It is therefore no bug, and the log needs no
 * stack.
 */
export function limitReason(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (ofSize.test(thrown.message)) return "value is too large";
  return thrown instanceof RangeError && thrown.message === ofDepth ? tooDeeplyNested : undefined;
}

export const tooDeeplyNested = "value is nested too deeply";
