import type { LogLevel } from "../process/host.ts";
import type { FailureKind } from "../value/failure.ts";
import type { Act, Run } from "./run.ts";

/** Kinds of failures that a service, a database or this machine causes: never a mistake of the caller, whatever the answer is. */
const foreign: ReadonlySet<FailureKind> = new Set(["transport", "status", "timeout", "database", "command", "state"]);

/** Runs that nobody has asked for: what fails in them is no mistake of a caller. */
const uncalled: ReadonlySet<string> = new Set(["schedule", "on_error"]);

/**
 * How loud the failure of an action is, by the status that it alone gives its run: an `error` from 500 on, and where nobody has called.
 * Below, the caller has asked for what cannot be (`info`), or something else has failed and the configuration makes up for it (`warn`).
 */
export function levelOfFailure(act: Act, status: number): LogLevel {
  const { run, failure, broken } = act;
  if (run.abandoned) return "debug";
  if (broken || status >= 500 || uncalled.has(run.input.trigger)) return "error";
  return failure !== undefined && foreign.has(failure) ? "warn" : "info";
}

/** The level of a run that has ended with this status. */
export function levelOfRun({ input, declared }: Run, status: number): LogLevel {
  if (status < 400) return "info";
  if (status >= 500 || uncalled.has(input.trigger)) return "error";
  return declared.some(({ state, failure }) => state === "failed" && failure !== undefined && foreign.has(failure)) ? "warn" : "info";
}
