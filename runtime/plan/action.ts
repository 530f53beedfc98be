import type { Json } from "../value/json.ts";
import type { LogsPlan, RetryPlan } from "./attempts.ts";
import type { Expr } from "./expr.ts";
import type { HidePlan } from "./hide.ts";
import type { ShortReplyPlan } from "./response.ts";
import type { Span } from "./span.ts";
import type { StartedPlan } from "./start-form.ts";
import type { AssertPlan } from "./tests.ts";
import type { OpFacts, TransformOp } from "./transform.ts";

/** The answer of a service as its own document describes it. Phase 5 takes the shape from it, and leaves it out of the plan. */
export interface AnswerContract {
  readonly schema: Json;
  /** The document in which references are looked up. */
  readonly document: Json;
}

/** Actions of one list, in start order: an action never comes before one it waits for. */
export interface ActionListPlan {
  readonly actions: readonly ActionPlan[];
  /** YAML order, only where it differs from the start order. */
  readonly declared?: readonly string[];
}

export interface ActionPlan {
  readonly name: string;
  readonly gates: GatePlan;
  /** Actions whose data this one reads: it waits until they have settled, whatever their outcome (spec/language 3.4). */
  readonly reads: readonly string[];
  /** The actions that this one names or reads and that `only_new` may skip: this one is then skipped, too (spec/transforms 8). */
  readonly skips_with?: readonly string[];
  readonly hide: HidePlan;
  readonly http_code_on_error?: number; // of the assert of an action `http`
  readonly ops: readonly Op[];
  /**
   * True when an attempt goes on after a wait: a fact of compiler/5-analyse. Without this fact only the last op may wait, and the attempt
   * returns the promise of that op.
   */
  readonly resumes?: true;
  /** Secrets that an attempt reads. */
  readonly secrets?: readonly string[];
  readonly retry?: RetryPlan | StartedPlan;
  /**
   * `retry` of an action that repeats each of its calls by itself, as `agent` does; such an action has no `retry` for the whole attempt.
   */
  readonly retry_calls?: RetryPlan | StartedPlan;
  /** Milliseconds for the whole action. */
  readonly timeout?: Expr;
  /** Where the text of a stream is forwarded: a map expression of `channel`, `flush_ms` and `flush_chars`. */
  readonly stream?: Expr;
  /** The token of `wait_for_callback`, and the actions that its markers name. */
  readonly awaits?: { readonly token: Expr; readonly of: readonly string[] };
  readonly logs: LogsPlan;
  readonly response_on_success?: ShortReplyPlan;
  readonly response_on_error?: ShortReplyPlan;
  readonly at?: Span;
}

/**
 * The operations of an action in one attempt, in order. `data` starts as null; every op gives the next `data`. `at` is absent only in a
 * plan that a printed module carries as data.
 */
export type Op = SourceOp | TransformOp;

type SourceOp = OpFacts &
  (
    | { readonly op: "take"; readonly from: Expr; readonly at?: Span }
    | { readonly op: "call"; readonly use: string; readonly args: Expr; readonly contract?: AnswerContract; readonly at?: Span }
    | {
        readonly op: "query";
        /** `database` sends SQL. */
        readonly use: "database" | "document_operation";
        readonly database: string;
        readonly args: Expr;
        readonly at?: Span;
      }
    /** `conditional_input`: gives the first entry whose tests pass; an entry without tests passes when its value is set. */
    | { readonly op: "pick"; readonly choices: readonly ChoicePlan[]; readonly at?: Span }
    /** Runs a list of actions for every item (spec/language 4). */
    | { readonly op: "lookup"; readonly over: Expr; readonly options: LookupPlan; readonly body: ActionListPlan; readonly at?: Span }
    /** `adds`: its tests may add members to the data. */
    | { readonly op: "check"; readonly assert: AssertPlan; readonly adds?: true; readonly at?: Span }
  );

export interface ChoicePlan {
  readonly input: Expr;
  readonly tests?: AssertPlan;
}

/** How a loop runs. Defaults are left out. */
export interface LookupPlan {
  readonly partition?: true;
  readonly concurrency?: number | StartedPlan;
  /** Members that are merged into every item. */
  readonly inherit?: Expr;
  /** Values that jq filters make of the data of the actions around the loop; they are merged into every item. */
  readonly inherit_jq?: Expr;
  /** Milliseconds for one item. */
  readonly item_timeout?: Expr;
}

/** A run condition: names, how many of them, and the status a gate failure asks for. */
export interface ConditionPlan {
  readonly actions: readonly string[];
  /** `previous` was written for all actions, or for the one at this index: the text of a gate failure says so. */
  readonly previous?: true | number;
  readonly at_least?: number;
  readonly http_code_on_error?: number;
}

export interface GatePlan {
  readonly run_when_succeeded?: ConditionPlan;
  readonly run_when_failed?: ConditionPlan;
  readonly depends_on?: ConditionPlan;
  readonly run_on_assertion?: AssertPlan;
}
