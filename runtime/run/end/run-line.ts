import type { LoggedRuns } from "../../plan/attempts.ts";
import type { LogLevel } from "../../process/host.ts";
import type { Json } from "../../value/json.ts";

/** `log` of an interface: a line that is written once, when the run has ended (spec/language 7.9). */
export interface RunLine {
  readonly level: LogLevel;
  readonly on?: LoggedRuns;
  /** Gives a text, or a structure with `json: true`. */
  readonly msg: () => Json;
}

/** The record of a run in the log (spec/language 7.9). `ms` is the duration in milliseconds; `errors` are those of the actions. */
export type RunRecord = {
  readonly run_uuid: string;
  readonly config: string;
  readonly interface: string;
  readonly trigger: string;
  readonly http_code: number;
  readonly ms: number;
  readonly errors: string[];
};
