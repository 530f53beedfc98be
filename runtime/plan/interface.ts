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
  /** `output: none` is written: nobody gets the outcome of a run (spec/language 7.6). */
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
  /** Written when the run has ended. */
  readonly log?: RunLinePlan;
  /** A schedule that is off, or that the environment decides about at the start; lists of schedules show it. */
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
  /** Its own value or the default. */
  readonly value: Expr;
  readonly validate?: TestPlan;
  readonly at?: Span;
}

/**
 * The values that are fetched for reads outside of attempts: by parameters, gates and time limits before the actions; by the assert, the
 * log and the response after them.
 */
export interface LoadsPlan {
  /** Before the first action. A secret is held for the whole run. */
  readonly before: { readonly secrets: readonly string[]; readonly states: readonly string[] };
  /** When every action has settled. */
  readonly after: { readonly states: readonly string[] };
}

/** Shapes for the typed `Input` and `Output` of the printed module: JSON Schemas, given or derived from tests. */
export interface ContractPlan {
  readonly input?: Json;
  readonly output?: Json;
  /** `accepts` gives `input`. */
  readonly accepted?: true;
  /** `produces` gives `output`; otherwise it follows from tests and names less than an answer has. */
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
