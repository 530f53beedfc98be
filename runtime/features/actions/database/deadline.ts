import { longestWait } from "../../../value/duration.ts";
import { Failure } from "../../../value/failure.ts";
import type { QueryLimits } from "../database.ts";

/** The bounds of one piece of work on a connection; `timeout` in milliseconds. */
export type WorkLimits = QueryLimits & { readonly timeout: number };

/** Milliseconds after which work counts as long, and is watched for the end of its run. */
const patience = 100;

/** Why work of a run that was cancelled ends. */
export const cancelled = (): Failure => new Failure("database", "database: cancelled");

/** Calls `stop` when time is up or the run is cancelled, unless the returned function was called before. */
export function deadline(limits: WorkLimits, stop: (why: Failure) => void): () => void {
  let signal: AbortSignal | undefined;
  let timer: NodeJS.Timeout;
  const abort = (): void => stop(cancelled());
  const expire = (): void => stop(new Failure("timeout", `timed out after ${limits.timeout}ms`));
  const watch = (): void => {
    timer = setTimeout(expire, Math.min(limits.timeout - patience, longestWait));
    signal = limits.signal?.();
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
  };
  timer = limits.timeout > patience ? setTimeout(watch, patience) : setTimeout(expire, limits.timeout);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
}
