import { Failure } from "./failure.ts";

/** The failure of an action whose `timeout` is over, after so many milliseconds. */
export const timedOut = (ms: number): Failure => new Failure("timeout", `timed out after ${ms}ms`);
