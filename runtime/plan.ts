import type { Json } from "./json.ts";

/** A place in a source file: UTF-16 offsets, end exclusive. Line and column are computed when shown. */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A step of a path: an object key, or an array index (negative: from the end). A key of digits also indexes arrays. */
export type Step = string | number;

/** How a hole inside structured text is filled, so that a value can never become structure (language.md 2.8). */
export type Fill =
  | "text" // B: plain text
  | "json_value" // C: value position of a JSON text; a scalar is re-read
  | "json_exact" // C: value position; a string stays a string
  | "json_string" // C: inside a JSON string literal, or a key
  | "url_origin" // E: before or inside scheme and authority: as is
  | "url_segment" // E: percent-encoded; may not make a segment `.` or `..`
  | "url_component" // E: percent-encoded (query and fragment)
  | "sql_value" // D: a literal by type
  | "sql_string" // D: inside '...'
  | "sql_identifier" // D: inside "..." or backticks
  | "path_key" // I: exactly one key of a path
  | "regex" // K: quoted literally
  | "like"; // K: likewise, for the pattern of `like` and `ilike`

/** One part of a text: literal, or a hole. `raw` follows `->raw`: config-controlled roots only. */
export type Part = string | { readonly fill: Fill | "raw"; readonly of: Expr; readonly dialect?: string };

/** Types a field may demand of an evaluated scalar (language.md 2.7). */
export type Coercion = "string" | "number" | "integer" | "boolean" | "duration" | "seconds" | "strings";

/** A value of the config with its markers found. Plain data: it can be printed, stored, diffed. */
export type Expr =
  | { readonly op: "lit"; readonly value: Json }
  | { readonly op: "root"; readonly root: string; readonly name?: string }
  | { readonly op: "action"; readonly name: string }
  /** The action's own data at this point: the base of tests and of markers that name the action itself. */
  | { readonly op: "data" }
  | { readonly op: "at"; readonly of: Expr; readonly path: readonly Step[] }
  | { readonly op: "count"; readonly of: Expr }
  /** `[*]`: the values found at `path` in each element; `"*"` inside the path fans out again. */
  | { readonly op: "each"; readonly of: Expr; readonly path: readonly Step[] }
  /** `->default(x)`: `instead` is evaluated only when `of` is null. */
  | { readonly op: "or"; readonly of: Expr; readonly instead: Expr }
  | { readonly op: "filter"; readonly use: string; readonly of: Expr; readonly args: readonly Expr[] }
  | { readonly op: "text"; readonly parts: readonly Part[] }
  /** A scalar made of several touching markers: null when all of them are unset, else the joined text. */
  | { readonly op: "join"; readonly items: readonly Expr[] }
  /** Value position of a JSON template: a string that reads as a scalar is that scalar. */
  | { readonly op: "reread"; readonly of: Expr }
  /** `required`: null fails instead of leaving the field out. */
  | { readonly op: "typed"; readonly as: Coercion; readonly field: string; readonly of: Expr; readonly required?: true }
  | { readonly op: "list"; readonly items: readonly Expr[] }
  | { readonly op: "map"; readonly entries: readonly (readonly [string | Expr, Expr])[] };

/** One matcher of a test. `dynamic`: the operand is a marker; unset fails the matcher (language.md 6.3). */
export interface MatcherPlan {
  readonly use: string;
  readonly operand: Expr;
  readonly dynamic: boolean;
  /** The operand holds a secret: a failure does not show it (language.md 6.3). */
  readonly secret?: boolean;
  /** It sees the bare credentials, because `is_authorization` stands in the same test (language.md 6.4). */
  readonly bare?: true;
  /** The markers of an operand that is an expression: its text calls them `$0`, `$1`, … */
  readonly values?: readonly Expr[];
  /** Tests of leaves of the target, by their paths (language.md 6.5). */
  readonly leaves?: Readonly<Record<string, TestPlan>>;
  readonly at?: Span;
}

export interface TestPlan {
  readonly label: string;
  readonly target: Expr;
  readonly matchers: readonly MatcherPlan[];
  /** `is_not_null: false`: with a null target the other matchers are not run. */
  readonly optional: boolean;
  readonly case_insensitive: boolean;
  /** The key under which a matcher puts what it finds; absent: its own default. */
  readonly result_key?: string;
  readonly hide_errors: boolean;
  readonly error_message?: Expr;
  readonly http_code_on_error?: number;
  /** Of the tested value, for its contract. */
  readonly description?: string;
  readonly at?: Span;
}

export interface AssertPlan {
  readonly tests: readonly TestPlan[];
  readonly error_message?: Expr;
  readonly success_message?: Expr;
  readonly http_code_on_error?: number;
  readonly http_code_on_success?: number;
}

/** `at` is absent only in a plan that a printed module carries as data. What an action does in one attempt, in order. `data` starts as null; every op gives the next `data`. */
export type Op =
  | { readonly op: "take"; readonly from: Expr; readonly at?: Span }
  | { readonly op: "call"; readonly use: string; readonly args: Expr; readonly at?: Span }
  | { readonly op: "query"; readonly database: string; readonly args: Expr; readonly at?: Span }
  /** `conditional_input`: the first entry whose tests pass, or that is set when it has none. */
  | { readonly op: "pick"; readonly choices: readonly ChoicePlan[]; readonly at?: Span }
  /** Runs a list of actions for every item (language.md 4). */
  | { readonly op: "lookup"; readonly over: Expr; readonly options: LookupPlan; readonly body: ActionListPlan; readonly at?: Span }
  | { readonly op: "check"; readonly assert: AssertPlan; readonly at?: Span }
  | { readonly op: "shape"; readonly use: string; readonly args: Expr; readonly at?: Span };

/** Actions of one list, in start order: an action never comes before one it waits for. */
export interface ActionListPlan {
  readonly actions: readonly ActionPlan[];
  /** YAML order, only where it differs from the start order. */
  readonly declared?: readonly string[];
}

/** How a loop runs. Defaults are left out. */
export interface LookupPlan {
  readonly partition?: true;
  readonly concurrency?: number;
  /** Merged into every item. */
  readonly inherit?: Expr;
  /** Milliseconds for one item. */
  readonly item_timeout?: Expr;
}

export interface ChoicePlan {
  readonly input: Expr;
  readonly tests?: AssertPlan;
}

/** How an action is tried again; milliseconds, defaults left out (language.md 3.6). */
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

/** Lines of an action by the moment at which they are written (language.md 3.8). */
export interface LogsPlan {
  readonly pre_log?: readonly LogPlan[];
  readonly success_log?: readonly LogPlan[];
  readonly post_log?: readonly LogPlan[];
  readonly error_log?: readonly LogPlan[];
  readonly retry_log?: readonly LogPlan[];
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
  /** Actions whose data this one reads: it waits until they have settled, whatever the outcome (language.md 3.4). */
  readonly reads: readonly string[];
  readonly hide: HidePlan;
  readonly ops: readonly Op[];
  readonly retry?: RetryPlan;
  /** Milliseconds for the whole action. */
  readonly timeout?: Expr;
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
}

/** A parameter of an interface (language.md 6.6). */
export interface ParamPlan {
  readonly name: string;
  /** Its own value or the default. */
  readonly value: Expr;
  readonly validate?: TestPlan;
  readonly at?: Span;
}

export interface InterfacePlan extends ActionListPlan {
  readonly name: string;
  readonly method: string;
  /** Present iff the interface is served over HTTP (decisions.md A13): path with a leading slash. */
  readonly route?: string;
  readonly output: "http" | "cli" | "none";
  readonly disable_fastpath: boolean;
  readonly silence: boolean;
  readonly show_error_detail: boolean;
  readonly params: readonly ParamPlan[];
  readonly assert?: AssertPlan;
  readonly response: ResponsePlan;
  readonly contract: ContractPlan;
  readonly at?: Span;
}

/** Shapes for the typed `Input` and `Output` of the printed module: JSON Schemas, given or derived from tests. */
export interface ContractPlan {
  readonly input?: Json;
  readonly output?: Json;
}

export interface DatabasePlan {
  readonly name: string;
  readonly driver: string;
  /** A map expression: conn_string or the discrete fields, pool limits, timeout. */
  readonly settings: Expr;
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
  readonly databases: readonly DatabasePlan[];
  readonly interfaces: readonly InterfacePlan[];
  readonly needs: Needs;
}
