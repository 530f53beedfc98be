import type { LogLevel } from "../process/host.ts";
import type { FailureKind } from "../value/failure.ts";
import type { Act, Run } from "./run.ts";

/** Kinds of failures that a service, a database or this machine causes: never a mistake of the caller, whatever the answer is. */
const foreign: ReadonlySet<FailureKind> = new Set(["transport", "status", "timeout", "database", "command", "state"]);

/** Triggers without a caller: a failure in their runs is never a caller's mistake. */
const uncalled: ReadonlySet<string> = new Set(["schedule", "on_error"]);

/**
 * The log level of a failed action, by the status that the action alone gives its run. It is `error` from 500 on, and when nobody has
 * called. Below that it is `info` for a mistake of the caller, and `warn` for another failure that the configuration makes up for.
 */
export function levelOfFailure(act: Act, status: number): LogLevel {
  const { run, failure, broken } = act;
  // Something tried what nobody has reviewed.
  if (failure === "manifest") return "error";
  if (run.abandoned) return "debug";
  if (broken || status >= 500 || uncalled.has(run.input.trigger)) return "error";
  return failure !== undefined && foreign.has(failure) ? "warn" : "info";
}

/** The text of a failure for the log: the message of its author, then what failed. */
export const reasonOf = (error: string | undefined, errors: readonly string[] = []): string =>
  [error, errors.join("; ")].filter(Boolean).join(": ") || "failed";

/** The level of a run that has ended with this status. */
export function levelOfRun({ input, declared }: Run, status: number): LogLevel {
  if (status < 400) return "info";
  if (status >= 500 || uncalled.has(input.trigger)) return "error";
  return declared.some(({ state, failure }) => state === "failed" && failure !== undefined && foreign.has(failure)) ? "warn" : "info";
}
