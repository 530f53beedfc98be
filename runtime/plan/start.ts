import type { Expr } from "./expr.ts";

// The plan of the fields that are read when the process starts.

/** The fields of an interface, as they are written, of which a value is read when the process starts. */
export interface InterfaceStartPlan {
  readonly show_error_detail?: Expr;
  readonly public?: Expr;
  readonly mcp?: Expr;
  readonly response?: Expr;
  readonly schedule?: Expr;
  readonly capture?: Expr;
  /** Present when the policy depends on values that are read at the start, in this record or in that of the configuration. */
  readonly network?: { readonly own?: Expr; readonly inherits: boolean; readonly limited: boolean; readonly places: boolean };
}

/** The plan of the fields of a configuration. `network` is present when the policy of an interface depends on it. */
export interface ConfigStartPlan {
  readonly metrics?: Expr;
  readonly docs?: Expr;
  readonly on_error?: Expr;
  readonly mcp_servers?: Expr;
  readonly network?: Expr;
  /** Settings of actions. A `retry` is a record and a `level` is a word, which are completed at the start; a `value` is used as it is. */
  readonly settings?: readonly (readonly [name: string, kind: "retry" | "level" | "value", of: Expr])[];
}
