import type { LoggedRuns } from "../../plan/attempts.ts";
import type { Interface } from "../interface.ts";
import type { Run } from "../run.ts";
import { levelOfRun } from "../run-level.ts";
import { writeLine } from "../steps/logs.ts";
import { runEnds } from "./debug-log.ts";
import type { RunRecord } from "./run-line.ts";

/**
 * Writes the logs of an interface about a run: its `log`, a record for each fitting entry of `response.logs`, and the record of `capture`.
 * It never changes the outcome.
 */
export function record(run: Run, status: number): void {
  const { host, interface: target, line } = run;
  target.capture?.note(run, status);
  if (host.debug) runEnds(run, status);
  if (line !== undefined && fits(line.on, status)) writeLine(host, line, run.place);
  if (target.logs !== undefined) writeRecord(run, target.logs, status);
}

function writeRecord(run: Run, logs: NonNullable<Interface["logs"]>, status: number): void {
  const entries = logs.filter(({ on }) => fits(on, status));
  if (entries.length === 0) return;
  const record = recordOf(run, status);
  for (const { to } of entries) {
    if (to === undefined) run.host.log(levelOfRun(run, status), "run", record);
    else to(run, record);
  }
}

/** Error texts may hold words of other services, so secrets of this process are hidden in them. */
function recordOf({ host, config, interface: target, id, input, declared, began, problems = [] }: Run, status: number): RunRecord {
  const errors = declared.flatMap(({ state, error = [], errors = [] }) => (state === "failed" ? [error, errors].flat() : []));
  return {
    config: config.name,
    interface: target.name,
    run_uuid: id,
    trigger: input.trigger,
    http_code: status,
    ms: Math.round(host.monotonic() - began),
    errors: [...errors, ...problems].map((text) => host.redactor.failure(text)),
  };
}

/** A run with a status from 400 on is an error. */
const fits = (on: LoggedRuns = "any", status: number): boolean => on === "any" || (on === "error") === status >= 400;
