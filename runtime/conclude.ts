import type { JsonObject } from "./json.ts";
import { raise } from "./on-error.ts";
import type { Run } from "./run.ts";
import { record } from "./run-log.ts";

/** What follows when the status of a run is known, beside its answer: what is logged of it, and the handler of a failure. */
export function conclude(run: Run, status: number, data?: JsonObject): void {
  run.span?.endWith(status);
  record(run, status);
  raise(run, status, data);
}
