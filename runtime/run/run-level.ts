import type { LogLevel } from "../process/host.ts";
import type { FailureKind } from "../value/failure.ts";
import type { Act, Run } from "./run.ts";

/** Kinds of failures that a service, a database or this machine causes: never a caller's mistake, whatever the status is. */
const foreign: ReadonlySet<FailureKind> = new Set(["transport", "status", "timeout", "database", "command", "state"]);

/** Triggers without a caller: a failure in their runs is never a caller's mistake. */
const uncalled: ReadonlySet<string> = new Set(["schedule", "on_error"]);

/**
 * The log level of a failed action, by the status that the action alone gives its run. It is `error` from 500 on, and for runs without a
 * caller. Below 500 it is `info` for a mistake of the caller, and `warn` for any other failure, which the configuration handles.
 */
export function levelOfFailure(act: Act, status: number): LogLevel {
  const { run, failure, broken } = act;
  // The run tried an effect that is not in the reviewed manifest.
  if (failure === "manifest") return "error";
  if (run.abandoned) return "debug";
  if (broken || status >= 500 || uncalled.has(run.input.trigger)) return "error";
  return failure !== undefined && foreign.has(failure) ? "warn" : "info";
}

/** The text of a failure for the log: the author's message, then the failed tests. */
export const reasonOf = (error: string | undefined, errors: readonly string[] = []): string =>
  [error, errors.join("; ")].filter(Boolean).join(": ") || "failed";

/** The level of a run that has ended with this status. */
export function levelOfRun({ input, declared }: Run, status: number): LogLevel {
  if (status < 400) return "info";
  if (status >= 500 || uncalled.has(input.trigger)) return "error";
  return declared.some(({ state, failure }) => state === "failed" && failure !== undefined && foreign.has(failure)) ? "warn" : "info";
}
