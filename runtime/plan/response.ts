import type { RunRecordsPlan } from "./attempts.ts";
import type { Expr } from "./expr.ts";

// The answer to a caller: of the whole interface, or early of one action.

/** A whole response body: the expression gives text (`text`) or a value that is sent as JSON unless it is a string (`value`). */
export interface BodyPlan {
  readonly as: "json_text" | "text" | "value";
  readonly of: Expr;
}

export interface ShortReplyPlan {
  /** An expression where a marker gives the status. */
  readonly http_code?: number | Expr;
  readonly headers?: Expr;
  /** Absent: the envelope of what has settled. */
  readonly body?: BodyPlan;
}

export type FallbackStrategy = "last_action" | "last_action_with_error" | "any_action";

export interface ResponsePlan {
  readonly http_code_on_error?: number;
  readonly http_code_inherit_error?: readonly string[];
  readonly http_code_fallback?: number;
  readonly http_code_fallback_strategy?: FallbackStrategy;
  readonly headers?: Expr;
  readonly custom_body?: BodyPlan;
  readonly error_body?: BodyPlan;
  readonly logs?: readonly RunRecordsPlan[];
}
