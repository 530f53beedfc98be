import type { Expr } from "./expr.ts";

// The plan of the fields that are read when the process starts.

/** Fields of an interface as they are written, where one of their values is read at the start. */
export interface InterfaceStartPlan {
  readonly show_error_detail?: Expr;
  readonly public?: Expr;
  readonly mcp?: Expr;
  readonly response?: Expr;
  readonly schedule?: Expr;
  readonly capture?: Expr;
  /** The policy depends on what is read, of this record or of that of the configuration. */
  readonly network?: { readonly own?: Expr; readonly inherits: boolean; readonly limited: boolean; readonly places: boolean };
}

/** The plan of the fields of a configuration. `network` is there as soon as the policy of an interface depends on it. */
export interface ConfigStartPlan {
  readonly metrics?: Expr;
  readonly docs?: Expr;
  readonly on_error?: Expr;
  readonly mcp_servers?: Expr;
  readonly network?: Expr;
  /** The settings of actions: `retry` is a record and `level` a word, which are completed; anything else is the value itself. */
  readonly settings?: readonly (readonly [name: string, kind: "retry" | "level" | "value", of: Expr])[];
}
