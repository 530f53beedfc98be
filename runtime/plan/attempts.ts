import type { Expr } from "./expr.ts";
import type { Span } from "./span.ts";
import type { StartedPlan } from "./start-form.ts";

// The plan around the attempts of an action: when it is tried again, and what is logged of it and of its run.

/** How an action is tried again (spec/language 3.6). Times are in milliseconds; defaults are left out. */
export interface RetryPlan {
  readonly attempts: number;
  readonly delay?: number;
  readonly exponential_backoff?: boolean;
  readonly max_delay?: number;
  readonly jitter?: string;
  readonly on?: readonly (number | string)[];
  readonly except?: readonly (number | string)[];
  readonly respect_retry_after?: boolean;
}

/** A line that is logged: its message is text, or with `json: true` a structure. */
export interface LogPlan {
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "critical";
  readonly msg: Expr;
}

/** The runs for which a log line is written (spec/language 7.9). */
export type LoggedRuns = "error" | "success" | "any";

/** The line that is logged of a whole run. */
export interface RunLinePlan extends Omit<LogPlan, "level"> {
  readonly level: LogPlan["level"] | StartedPlan;
  readonly on?: LoggedRuns;
}

/** Lines of an action by the moment at which they are written (spec/language 3.8). */
export interface LogsPlan {
  readonly pre_log?: readonly LogPlan[];
  readonly success_log?: readonly LogPlan[];
  readonly post_log?: readonly LogPlan[];
  readonly error_log?: readonly LogPlan[];
  readonly retry_log?: readonly LogPlan[];
}

/** An entry of `response.logs`: records go to the log, or to a database by way of a function of runtime/run/records. */
export interface RunRecordsPlan {
  readonly on: LoggedRuns;
  readonly to?: { readonly use: "run_rows" | "run_documents"; readonly database: string };
}

/** `schedule` of an interface (spec/surfaces 2): five fields of cron, UTC by default, one attempt by default. */
export interface Schedule {
  readonly cron: string;
  readonly timezone?: string;
  readonly max_attempts?: number;
  /** Seconds before the second attempt, 60 by default. */
  readonly retry_backoff_seconds?: number;
  /** The factor by which each further wait is longer, 2 by default. */
  readonly retry_backoff_multiplier?: number;
  /** Seconds that no wait exceeds, 3600 by default. */
  readonly max_backoff_seconds?: number;
}

/** The runs of an interface that are recorded, and for how long (spec/surfaces 16). */
export interface CapturePlan {
  readonly mode: "errors" | "all";
  readonly for_minutes?: number;
  readonly for_runs?: number;
}

/** `on_error` of a configuration. */
export interface ErrorHandlerPlan {
  readonly interface: string;
  readonly status?: readonly number[];
  readonly max_per_minute?: number;
  readonly at?: Span;
}
