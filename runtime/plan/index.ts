import type { Dialect } from "../features/feature.ts";
import type { Json } from "../value/json.ts";
import type { CapturePlan, ErrorHandlerPlan, LogsPlan, RetryPlan, RunLinePlan, RunRecordsPlan, Schedule } from "./attempts.ts";
import type { Fill } from "./fills.ts";
import type { PolicyPlan, RulesPlan } from "./policies.ts";
import type { ConfigStartPlan, InterfaceStartPlan, StartedPlan, StartFormPlan } from "./start.ts";
import type { AssertPlan, TestPlan } from "./tests.ts";
import type { McpServerPlan, McpToolPlan } from "./tools.ts";

export type * from "./attempts.ts";
export type * from "./fills.ts";
export type * from "./policies.ts";
export type * from "./start.ts";
export type * from "./tests.ts";
export type * from "./tools.ts";

/** A place in a source file: UTF-16 offsets, end exclusive. Line and column are computed when shown. */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A step of a path: an object key, or an array index (negative: from the end). A key of digits also indexes arrays. */
export type Step = string | number;

/** One part of a text: literal, or a hole. `raw` follows `->raw`: config-controlled roots only. */
export type Part = string | { readonly fill: Fill | "raw"; readonly of: Expr; readonly dialect?: string };

/** Types a field may demand of an evaluated scalar (spec/language 2.7). */
export type Coercion = "string" | "number" | "integer" | "boolean" | "duration" | "seconds" | "strings";

/** A value of the config with its markers found. Plain data: it can be printed, stored, diffed. */
export type Expr =
  | { readonly op: "lit"; readonly value: Json }
  | { readonly op: "root"; readonly root: string; readonly name?: string }
  /** Data of an action of the same list; `up`: of the list so many loops further out. */
  | { readonly op: "action"; readonly name: string; readonly up?: number }
  /** The action's own data at this point: the base of tests and of markers that name the action itself. */
  | { readonly op: "data" }
  /** The element that a `filter` looks at. */
  | { readonly op: "item" }
  /** A value of the op around: evaluated once, before the first element or match. */
  | { readonly op: "given"; readonly index: number }
  | { readonly op: "at"; readonly of: Expr; readonly path: readonly Step[] }
  | { readonly op: "count"; readonly of: Expr }
  /** `[*]`: the values found at `path` in each element; `"*"` inside the path fans out again. */
  | { readonly op: "each"; readonly of: Expr; readonly path: readonly Step[] }
  /** `->default(x)`: `instead` is evaluated only when `of` is null. */
  | { readonly op: "or"; readonly of: Expr; readonly instead: Expr }
  | { readonly op: "filter"; readonly use: string; readonly of: Expr; readonly args: readonly Expr[] }
  | JqPlan
  | { readonly op: "text"; readonly parts: readonly Part[] }
  /** A scalar made of several touching markers: null when all of them are unset, else the joined text. */
  | { readonly op: "join"; readonly items: readonly Expr[] }
  /** Value position of a JSON template: a string that reads as a scalar is that scalar. */
  | { readonly op: "reread"; readonly of: Expr }
  /** `required`: null fails instead of leaving the field out. */
  | { readonly op: "typed"; readonly as: Coercion; readonly field: string; readonly of: Expr; readonly required?: true }
  /** A field that is read when the process starts: `of` reads env, var and ap_var alone. */
  | { readonly op: "start"; readonly field: string; readonly form: StartFormPlan; readonly of: Expr; readonly at: Span }
  | { readonly op: "list"; readonly items: readonly Expr[] }
  /** `waits`: a member has to wait for jq. */
  | { readonly op: "map"; readonly entries: readonly (readonly [string | Expr, Expr])[]; readonly waits?: true };

/** A jq filter over what `of` gives. The text calls its values `$__0`, `$__1`, …; it is known now unless a marker in it is raw. */
export interface JqPlan {
  readonly op: "jq";
  readonly filter: Expr;
  readonly of: Expr;
  readonly values: readonly Expr[];
  /** A value is a secret, so that errors do not show jq's text. */
  readonly secret?: true;
  /** Where it stands, before the text of an error: the root of a marker, the name of a field. */
  readonly label: string;
  /** It is the target of a test, or a member of arguments that are waited for. */
  readonly waits?: true;
  readonly at?: Span;
}

/** Facts of an op, which compiler/5-analyse writes; the interpreter and the printer only read them. */
export interface OpFacts {
  /** An attempt waits for it. */
  readonly waits?: true;
}

/** Facts of a transform. */
export interface ShapeFacts extends OpFacts {
  /** It is the first transform, and others read the data as they were before it. */
  readonly keeps?: true;
  /** Its arguments read the data that were kept. */
  readonly before?: true;
}

/** `at` is absent only in a plan that a printed module carries as data. What an action does in one attempt, in order. `data` starts as null; every op gives the next `data`. */
export type Op = SourceOp | ShapeOp;

type SourceOp = OpFacts &
  (
    | { readonly op: "take"; readonly from: Expr; readonly at?: Span }
    | { readonly op: "call"; readonly use: string; readonly args: Expr; readonly at?: Span }
    | {
        readonly op: "query";
        /** `database` sends SQL. */
        readonly use: "database" | "document_operation";
        readonly database: string;
        readonly args: Expr;
        readonly at?: Span;
      }
    /** `conditional_input`: the first entry whose tests pass, or that is set when it has none. */
    | { readonly op: "pick"; readonly choices: readonly ChoicePlan[]; readonly at?: Span }
    /** Runs a list of actions for every item (spec/language 4). */
    | { readonly op: "lookup"; readonly over: Expr; readonly options: LookupPlan; readonly body: ActionListPlan; readonly at?: Span }
    | { readonly op: "check"; readonly assert: AssertPlan; readonly at?: Span }
  );

/**
 * One entry of `post_transforms`. `values`: what markers inside conditions and nested lists read, for the `given` of these; only the outermost op
 * has some.
 */
export type ShapeOp = ShapeFacts &
  (
    | { readonly op: "shape"; readonly use: string; readonly args: Expr; readonly at?: Span }
    /** The tests look at an `item`; all must pass. */
    | {
        readonly op: "filter";
        readonly target: Expr;
        readonly tests: readonly TestPlan[];
        readonly values?: readonly Expr[];
        readonly at?: Span;
      }
    | { readonly op: "nest"; readonly lists: readonly NestedPlan[]; readonly at?: Span }
  );

/** A path of `nested_transforms`, and the transforms of what it matches. */
export interface NestedPlan {
  readonly target: Expr;
  readonly body: readonly ShapeOp[];
  readonly values?: readonly Expr[];
  /** One of its transforms waits: a fact of compiler/5-analyse. */
  readonly waits?: true;
  readonly at?: Span;
}

/** Actions of one list, in start order: an action never comes before one it waits for. */
export interface ActionListPlan {
  readonly actions: readonly ActionPlan[];
  /** YAML order, only where it differs from the start order. */
  readonly declared?: readonly string[];
}

/** How a loop runs. Defaults are left out. */
export interface LookupPlan {
  readonly partition?: true;
  readonly concurrency?: number | StartedPlan;
  /** Merged into every item. */
  readonly inherit?: Expr;
  /** The same, by jq filters over the data of the actions around the loop. */
  readonly inherit_jq?: Expr;
  /** Milliseconds for one item. */
  readonly item_timeout?: Expr;
}

export interface ChoicePlan {
  readonly input: Expr;
  readonly tests?: AssertPlan;
}

/** A run condition: names, how many of them, and the status a gate failure asks for. */
export interface ConditionPlan {
  readonly actions: readonly string[];
  /** The condition was written as `previous`: the text of a gate failure says so. */
  readonly previous?: true;
  readonly at_least?: number;
  readonly http_code_on_error?: number;
}

export interface HidePlan {
  readonly hide_action?: true;
  readonly hide_data_on_success?: true;
  readonly hide_data_on_error?: true;
  readonly hide_data_on_empty?: true;
  readonly hide_errors?: true;
}

export interface GatePlan {
  readonly run_when_succeeded?: ConditionPlan;
  readonly run_when_failed?: ConditionPlan;
  readonly depends_on?: ConditionPlan;
  readonly run_on_assertion?: AssertPlan;
}

export interface ShortReplyPlan {
  readonly http_code?: number;
  readonly headers?: Expr;
  /** Absent: the envelope of what has settled. */
  readonly body?: BodyPlan;
}

/** A whole response body: the expression gives text (`text`) or a value that is sent as JSON unless it is a string (`value`). */
export interface BodyPlan {
  readonly as: "json_text" | "text" | "value";
  readonly of: Expr;
}

export interface ActionPlan {
  readonly name: string;
  readonly gates: GatePlan;
  /** Actions whose data this one reads: it waits until they have settled, whatever the outcome (spec/language 3.4). */
  readonly reads: readonly string[];
  /** Those that it names or reads and that `only_new` may skip: it is then skipped, too (spec/transforms 8). */
  readonly skips_with?: readonly string[];
  readonly hide: HidePlan;
  readonly http_code_on_error?: number; // of the assert of an http action
  readonly ops: readonly Op[];
  /** Secrets that an attempt reads. */
  readonly secrets?: readonly string[];
  readonly retry?: RetryPlan | StartedPlan;
  /** Milliseconds for the whole action. */
  readonly timeout?: Expr;
  /** Where what it reads of a stream is forwarded: a map expression of `channel`, `flush_ms` and `flush_chars`. */
  readonly stream?: Expr;
  readonly logs: LogsPlan;
  readonly response_on_success?: ShortReplyPlan;
  readonly response_on_error?: ShortReplyPlan;
  readonly at?: Span;
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

/** A parameter of an interface (spec/language 6.6). */
export interface ParamPlan {
  readonly name: string;
  /** Its own value or the default. */
  readonly value: Expr;
  readonly validate?: TestPlan;
  readonly at?: Span;
}

/** What is fetched for what reads it outside of attempts: parameters, gates, time limits; the assert, the log, the response. */
export interface LoadsPlan {
  /** Before the first action. A secret is held for the whole run. */
  readonly before: { readonly secrets: readonly string[]; readonly states: readonly string[] };
  /** When every action has settled. */
  readonly after: { readonly states: readonly string[] };
}

export interface InterfacePlan extends ActionListPlan {
  readonly name: string;
  readonly method: string;
  /** Present iff the interface is served over HTTP (spec/language 7.1): path with a leading slash. */
  readonly route?: string;
  readonly output: "http" | "cli" | "none";
  /** `output: none` is written: nobody gets its outcome (spec/language 7.6). */
  readonly discards?: true;
  readonly disable_fastpath: boolean;
  readonly respond?: "early";
  /** Actions that the caller waits for before the early answer. */
  readonly respond_after?: readonly string[];
  readonly silence: boolean;
  readonly show_error_detail: boolean;
  readonly params: readonly ParamPlan[];
  readonly loads?: LoadsPlan;
  readonly assert?: AssertPlan;
  readonly response: ResponsePlan;
  /** Written when the run has ended. */
  readonly log?: RunLinePlan;
  /** Only one that is enabled. */
  readonly schedule?: Schedule;
  /** A schedule that does not run, or of which the start decides: for lists. */
  readonly idle?: { readonly cron: string; readonly timezone?: string; readonly state: "off" | "at start" };
  /** Text frames of sockets run it, and get its reply or nothing. */
  readonly ws?: "reply" | "discard";
  /** Messages to the topic `<environment>/<interface>/<this>` run it. */
  readonly mqtt?: string;
  /** Of one with a realtime trigger: clients need no credential. */
  readonly public?: true;
  /** Of one with a realtime trigger: what decides about its channels. */
  readonly subscribe_authorizer?: string;
  /** Of one with a realtime trigger: a test of it, or of what decides about its channels, verifies tokens. */
  readonly verifies?: true;
  /** Only one that is enabled. */
  readonly mcp?: McpToolPlan;
  readonly network?: PolicyPlan;
  readonly capture?: CapturePlan;
  /** What is read when the process starts. */
  readonly start?: InterfaceStartPlan;
  readonly about?: AboutPlan;
  readonly contract: ContractPlan;
  /** The JSON Schema that what the trigger delivers must satisfy. */
  readonly accepts?: Json;
  readonly at?: Span;
}

/** Shapes for the typed `Input` and `Output` of the printed module: JSON Schemas, given or derived from tests. */
export interface ContractPlan {
  readonly input?: Json;
  readonly output?: Json;
  /** With `produces.enforce: true` the place of the schema, which `dev` compares answers with. */
  readonly enforced?: Span;
  /** Of the query and route parameters, by name. */
  readonly params?: Json;
  readonly input_example?: Json;
  readonly output_example?: Json;
}

/** What people are told of an interface. */
export interface AboutPlan {
  readonly summary?: string;
  readonly description?: string;
  readonly notes?: string;
  readonly tags?: readonly string[];
}

export interface DatabasePlan {
  readonly name: string;
  readonly driver: string;
  readonly speaks: Dialect | "documents";
  /** A map expression: conn_string or the discrete fields, pool limits, timeout. */
  readonly settings: Expr;
  /** Secrets that the settings read. */
  readonly secrets?: readonly string[];
  readonly at?: Span;
}

/** An entry of `global.secrets`. */
export interface SecretPlan {
  readonly name: string;
  /** Name of a store. */
  readonly kind: string;
  readonly format: "raw" | "equal" | "json";
  /** A map expression: what the store needs, and `ttl` in milliseconds. */
  readonly settings: Expr;
  /** Secrets that the settings read. */
  readonly secrets?: readonly string[];
  readonly at?: Span;
}

/** What a config reads from outside, by name; checked before the first run. */
export interface Needs {
  readonly env: readonly string[];
  readonly vars: readonly string[];
  readonly secrets: readonly string[];
}

/** One configuration, ready to be printed or walked. */
export interface ConfigPlan {
  readonly name: string;
  /** Path of the source, relative to the project root, with forward slashes. */
  readonly file: string;
  readonly variables: readonly (readonly [string, Expr])[];
  /** A secret stands behind those that its settings read. */
  readonly secrets: readonly SecretPlan[];
  readonly databases: readonly DatabasePlan[];
  readonly expose_metrics?: true;
  readonly mcp_servers?: readonly McpServerPlan[];
  /** `docs: true`: its interfaces are in the API document. */
  readonly docs?: { readonly description?: string; readonly version?: string };
  /** Rules of the configuration, which interfaces inherit. */
  readonly network?: RulesPlan;
  readonly interfaces: readonly InterfacePlan[];
  readonly on_error?: ErrorHandlerPlan;
  /** What is read when the process starts. */
  readonly start?: ConfigStartPlan;
  readonly needs: Needs;
}
