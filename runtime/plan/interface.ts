import type { Json } from "../value/json.ts";
import type { ActionListPlan } from "./action.ts";
import type { CapturePlan, RunLinePlan } from "./attempts.ts";
import type { Expr } from "./expr.ts";
import type { InterfaceRecord } from "./interface-record.ts";
import type { PolicyPlan } from "./policies.ts";
import type { ResponsePlan } from "./response.ts";
import type { Span } from "./span.ts";
import type { InterfaceStartPlan } from "./start.ts";
import type { AssertPlan, TestPlan } from "./tests.ts";

export interface InterfacePlan extends InterfaceRecord, ActionListPlan {
  readonly method: string;
  /** Present iff the interface is served over HTTP (spec/language 7.1): path with a leading slash. */
  readonly route?: string;
  /** `output: none` is written: the outcome of a run is not delivered (spec/language 7.6). */
  readonly discards?: true;
  readonly disable_fastpath: boolean;
  /** Actions that the caller waits for before the early answer. */
  readonly respond_after?: readonly string[];
  /** `durable: true` is written. */
  readonly durable?: true;
  readonly silence: boolean;
  readonly show_error_detail: boolean;
  readonly params: readonly ParamPlan[];
  readonly loads?: LoadsPlan;
  readonly assert?: AssertPlan;
  readonly response: ResponsePlan;
  /** The line that is logged when the run has ended. */
  readonly log?: RunLinePlan;
  /** A schedule that is off, or that the environment enables at the start (`at start`); lists of schedules show it. */
  readonly idle?: { readonly cron: string; readonly timezone?: string; readonly state: "off" | "at start" };
  /** Settings of triggers that have no code of their own in the compiler. */
  readonly triggers?: Readonly<Record<string, Expr>>;
  readonly network?: PolicyPlan;
  readonly capture?: CapturePlan;
  /** The fields that are read when the process starts. */
  readonly start?: InterfaceStartPlan;
  readonly about?: AboutPlan;
  readonly contract: ContractPlan;
  /** The JSON Schema that what the trigger delivers must satisfy. */
  readonly accepts?: Json;
  readonly at?: Span;
}

/** A parameter of an interface (spec/language 6.6). */
export interface ParamPlan {
  readonly name: string;
  /** The value as `value` says, or the default when it is absent. */
  readonly value: Expr;
  readonly validate?: TestPlan;
  readonly at?: Span;
}

/**
 * The names of values that are fetched for reads outside of attempts. Parameters, gates and time limits read them before the actions; the
 * assert, the log and the response read them after the actions.
 */
export interface LoadsPlan {
  /** Before the first action. A secret is held for the whole run. */
  readonly before: { readonly secrets: readonly string[]; readonly states: readonly string[] };
  /** Names that are loaded when every action has settled. */
  readonly after: { readonly states: readonly string[] };
}

/** JSON Schemas for the typed `Input` and `Output` of the printed module. They are written in the YAML, or derived from tests. */
export interface ContractPlan {
  readonly input?: Json;
  readonly output?: Json;
  /** True when `input` comes from `accepts`. */
  readonly accepted?: true;
  /** True when `output` comes from `produces`; otherwise it is derived from tests and may name fewer members than an answer has. */
  readonly produced?: true;
  /** The place of the schema when `produces.enforce` is true; `dev` compares answers with that schema. */
  readonly enforced?: Span;
  /** The schema of the query and route parameters, by name. */
  readonly params?: Json;
  readonly input_example?: Json;
  readonly output_example?: Json;
}

/** The texts about an interface for people. */
export interface AboutPlan {
  readonly summary?: string;
  readonly description?: string;
  readonly notes?: string;
  readonly tags?: readonly string[];
}
