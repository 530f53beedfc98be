import type { StartForm } from "../start/form.ts";
import type { Expr } from "./index.ts";

// What is read when the process starts.

/** A form as plain data: its judge is called by name, a function of runtime/start/judges.ts. */
export interface StartFormPlan extends Omit<StartForm, "judge" | "items"> {
  readonly judge?: JudgeName;
  readonly items?: StartFormPlan;
}

export type JudgeName = keyof typeof import("../start/judges.ts") & `${string}_${string}`;

/** In the plan of an action: the setting that was read under this name. */
export interface StartedPlan {
  readonly started: string;
}

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

/** The same of a configuration. `network` is there as soon as the policy of an interface depends on it. */
export interface ConfigStartPlan {
  readonly metrics?: Expr;
  readonly docs?: Expr;
  readonly on_error?: Expr;
  readonly mcp_servers?: Expr;
  readonly network?: Expr;
  /** Of actions: `retry` is a record and `level` a word, which are completed; anything else is the value itself. */
  readonly settings?: readonly (readonly [name: string, kind: "retry" | "level" | "value", of: Expr])[];
}
