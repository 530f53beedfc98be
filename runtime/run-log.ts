import type { LogLevel } from "./host.ts";
import type { Json } from "./json.ts";
import type { LoggedRuns } from "./plan.ts";
import type { Run } from "./run.ts";

/** `log` of an interface: a line that is written once, when the run has ended (decisions.md A22). */
export interface RunLine {
  readonly level: LogLevel;
  readonly on?: LoggedRuns;
  /** A text, or with `json: true` a structure. */
  readonly msg: () => Json;
}

/** Writes what an interface says of its runs: its `log`, then a record for each of `response.logs` that fits. Never changes the outcome. */
export function record(run: Run, status: number): void {
  const { host, config, interface: target, id, line, input } = run;
  const fields = { config: config.name, interface: target.name, run_uuid: id };
  if (line !== undefined && fits(line.on, status)) {
    try {
      const said = line.msg();
      if (typeof said === "string") host.log(line.level, said, fields);
      else host.log(line.level, JSON.stringify(said), { ...fields, data: said });
    } catch (error) {
      host.log("warn", `log message failed: ${error instanceof Error ? error.message : String(error)}`, fields);
    }
  }
  for (const { on } of target.logs ?? []) {
    if (!fits(on, status)) continue;
    const errors = run.declared.flatMap((act) => (act.state === "failed" ? (act.error ?? act.errors ?? []) : []));
    const ms = Math.round(host.monotonic() - run.began);
    host.log(status < 400 ? "info" : "error", "run", { ...fields, trigger: input.trigger, http_code: status, ms, errors });
  }
}

/** A run with a status from 400 on is an error. */
const fits = (on: LoggedRuns = "any", status: number): boolean => on === "any" || (on === "error") === status >= 400;
