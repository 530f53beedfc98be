import type { Json, Step } from "../value/json.ts";
import type { Fill } from "./fills.ts";
import type { Span } from "./span.ts";
import type { StartFormPlan } from "./start-form.ts";

/** One part of a text: literal, or a hole. `raw` follows `->raw`: config-controlled roots only. */
export type TextPart = string | { readonly fill: Fill | "raw"; readonly of: Expr; readonly dialect?: string };

/** Types a field may demand of an evaluated scalar (spec/language 2.7). */
export type Coercion = "string" | "number" | "integer" | "boolean" | "duration" | "seconds" | "strings";

/** A value of the config with its markers found. Plain data: it can be printed, stored, diffed. */
export type Expr = ExprForm & ExprFacts;

/** A fact of a value, which compiler/5-analyse writes; the interpreter and the printer only read it. */
interface ExprFacts {
  /** The value is, or is made of, the output of a filter of jq that the run waits for. */
  readonly waits?: true;
}

type ExprForm =
  | { readonly op: "lit"; readonly value: Json }
  /** `at`: of a value of the configuration, where the marker stands. */
  | { readonly op: "root"; readonly root: string; readonly name?: string; readonly at?: Span }
  /** Data of an action of the same list. With `up`, the action is in the list of a loop that many levels further out. */
  | { readonly op: "action"; readonly name: string; readonly up?: number; readonly at?: Span }
  /** The action's own data at this point: tests read it, and so do markers that name the action itself. */
  | { readonly op: "data"; readonly at?: Span }
  /** The element that a `filter` looks at. */
  | { readonly op: "item" }
  /** A value that the surrounding op evaluates once, before its first element or match; `index` counts these values. */
  | { readonly op: "given"; readonly index: number }
  /** `at`: the place of the marker or path that reads. */
  | { readonly op: "at"; readonly of: Expr; readonly path: readonly Step[]; readonly at?: Span }
  | { readonly op: "count"; readonly of: Expr }
  /** `[*]`: the values found at `path` in each element; `"*"` inside the path fans out again. */
  | { readonly op: "each"; readonly of: Expr; readonly path: readonly Step[]; readonly at?: Span }
  /** `->default(x)`: `instead` is evaluated only when `of` is null. `at` is the place of `x`, where it is written as a default. */
  | { readonly op: "or"; readonly of: Expr; readonly instead: Expr; readonly at?: Span }
  | { readonly op: "filter"; readonly use: string; readonly of: Expr; readonly args: readonly Expr[] }
  | JqPlan
  | { readonly op: "text"; readonly parts: readonly TextPart[] }
  /** A scalar made of several touching markers: null when all of them are unset, else the joined text. */
  | { readonly op: "join"; readonly items: readonly Expr[] }
  /** Value position of a JSON template: a string that reads as a scalar is that scalar. */
  | { readonly op: "reread"; readonly of: Expr }
  /** `required`: null fails instead of leaving the field out. */
  | { readonly op: "typed"; readonly as: Coercion; readonly field: string; readonly of: Expr; readonly required?: true }
  /** A field that is read when the process starts: `of` reads env, var and ap_var alone. */
  | { readonly op: "start"; readonly field: string; readonly form: StartFormPlan; readonly of: Expr; readonly at: Span }
  | { readonly op: "list"; readonly items: readonly Expr[] }
  | { readonly op: "map"; readonly entries: readonly (readonly [string | Expr, Expr])[] };

/**
 * A jq filter over the value of `of`. Its text calls `values` `$__0`, `$__1`, …; the compiler knows the text unless a marker in it is raw.
 */
export interface JqPlan {
  readonly op: "jq";
  readonly filter: Expr;
  readonly of: Expr;
  readonly values: readonly Expr[];
  /** A value is a secret, so that errors do not show jq's text. */
  readonly secret?: true;
  /** The start of an error text: the root of a marker, or the name of a field. */
  readonly label: string;
  /** A run waits for its output: absent only where nothing can wait. */
  readonly waits?: true;
  readonly at?: Span;
}
