import type { JsonSchema } from "#runtime/features/feature.ts";
import type { ConfigStartPlan, Expr, Needs, Span } from "#runtime/plan/index.ts";
import type { Node, ScalarNode } from "../../1-read/document.ts";
import type { Included } from "../../1-read/files.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import type { Scalar } from "../lower/scalar.ts";

/** The names that markers may use at one place of a config, and the names that they have used so far. */
export interface Scope {
  /** Names of the actions in the same list, in any order. */
  readonly actions: ReadonlySet<string>;
  /** The nodes of the actions, by name. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** The scope of the loop that runs this list. Its actions are visible, except the loop itself. */
  readonly outer: Scope | undefined;
  /** Actions of the list that start after the one being lowered, by their gates and their order. */
  readonly later: ReadonlySet<string>;
  /** The action being lowered. */
  readonly self: string | undefined;
  /** True when the action has run its source, so that its own name reads the data at this point. */
  readonly selfIsData: boolean;
  /** The action that `previous` stands for; undefined on the first action. */
  readonly previous: string | undefined;
  /** `global.variables` by name. */
  readonly variables: ReadonlySet<string>;
  /** Secrets that variables of this config read, directly or through other variables. */
  readonly variableSecrets: ReadonlyMap<string, ReadonlySet<string>>;
  /** Variables of this config whose values are masked in logs, since they read masked values, directly or through other variables. */
  readonly hiddenVariables: ReadonlySet<string>;
  /** `global.secrets` by name, each with the format of its text. */
  readonly stored: ReadonlyMap<string, string>;
  /** The texts of `a|template::NAME|`; a template of the interface hides a global one of the same name. */
  readonly templates: ReadonlyMap<string, Node>;
  /** Templates that are being filled, outermost first: a template inside itself would never end. */
  readonly open: readonly string[];
  /** The number of templates that may still be filled. It has a bound because each template may name another one twice, and so on. */
  readonly fillings: { left: number };
  /** The only roots that may be used (PW206); undefined allows all. */
  readonly allowed: ReadonlySet<string> | undefined;
  /** True in log messages, where values of secrets are hidden (spec/language 3.8). */
  readonly masked: boolean;
  /** Filled while lowering: actions whose data is read, each with the place that reads it first. */
  readonly reads: Map<string, Span>;
  /** Filled while lowering: places that read the data of the action itself. */
  readonly ownReads: Span[];
  /** Filled while lowering: names read by `state`, to be loaded before. */
  readonly states: Set<string>;
  /** Filled while lowering: secrets that must be fetched before, each with the place that reads it first. */
  readonly secrets: Map<string, Span>;
  /** Filled while lowering: names read by `var`, each with the first place: the edges between `global.variables`. */
  readonly variableReads: Map<string, Span>;
  /** Filled while lowering. The needs of the reads; a read with `->default(...)` is no need. */
  readonly needs: OpenNeeds;
  /** Filled while lowering: the reads with `->default(...)`. */
  readonly optional: OpenNeeds;
  /** Filled while lowering: reads of managed variables that have neither a default nor a value in the configuration. */
  readonly wanted: WantedVariable[];
}

/** A name that the files of an environment have to define. */
export interface WantedVariable {
  readonly name: string;
  readonly at: Span;
}

/** Languages of texts in which data must be escaped. `lines` are lines of JSON. */
export type BodyLanguage = "html" | "xml" | "form" | "lines";

export type OpenNeeds = { readonly [Kind in keyof Needs]: Set<string> };

/** Everything a lowering needs besides the value itself. */
export interface Lowering {
  readonly report: Report;
  /** The reason why jq refuses a filter with `names` bound variables; undefined when it accepts the filter. */
  readonly refusal?: (filter: string, names: number) => string | undefined;
  readonly scope: Scope;
  /** The language of the text being lowered, if data must be escaped in it (PW285). */
  readonly language?: BodyLanguage | undefined;
  /** Reads the text of a file beside the config, or gives the reason why there is none. */
  readonly include?: (path: string) => Included;
  /** The records that `$ref` names. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Filled while lowering: settings of actions that are read at the start, by their places. */
  readonly settings?: NonNullable<ConfigStartPlan["settings"]>[number][];
  /** Parameters of the interface whose type is settled: their `value` makes a number, or their own tests treat them as texts. */
  readonly settled?: ReadonlySet<string>;
  /** Parameters of the interface that need no escaping in any language. */
  readonly harmless?: ReadonlySet<string>;
  /** Names of the parameters of the interface, in its route and under `params`. */
  readonly params?: ReadonlySet<string>;
  /** Filled while lowering: addresses to connect to, each with its place. */
  readonly places?: Map<Expr, Span>;
  /** Context D: fills the holes of a query that has markers, for the driver of its database. */
  readonly sql?: (query: Scalar, cx: Lowering) => Expr;
}

/** The action that a name stands for: in the same list, else in the nearest list around it. */
export interface Visible {
  /** The number of loops between this place and the list of the action. */
  readonly up: number;
  /** The scope of that list, in which the reading action or loop waits for the action. */
  readonly scope: Scope;
}

/** The action of that name that can be seen, or undefined. A loop is not visible inside itself: it has no data yet. */
export function visible(name: string, inner: Scope): Visible | undefined {
  let up = 0;
  for (let scope: Scope | undefined = inner; scope !== undefined; scope = scope.outer) {
    if (scope.actions.has(name) && (up === 0 || name !== scope.self)) return { up, scope };
    up += 1;
  }
  return undefined;
}

/** Every name that `visible` knows, the nearest first. */
export function visibleNames(inner: Scope): readonly string[] {
  const names = new Set<string>();
  for (let scope: Scope | undefined = inner; scope !== undefined; scope = scope.outer) for (const name of scope.actions) names.add(name);
  return [...names].filter((name) => visible(name, inner) !== undefined);
}

/** Reads the data of a visible action. The reading action waits for it; when the read stands in a loop, the loop waits. */
export function readAction(name: string, { up, scope }: Visible, at: Span): Expr {
  if (!scope.reads.has(name)) scope.reads.set(name, at);
  return { op: "action", name, ...(up === 0 ? {} : { up }), at };
}

export const emptyNeeds = (): OpenNeeds => ({ env: new Set(), vars: new Set(), secrets: new Set() });

/** A scope. Parts that are left out are empty, and all roots are allowed. */
export function scope(parts: Partial<Scope>): Scope {
  return {
    actions: new Set(),
    nodes: new Map(),
    outer: undefined,
    later: new Set(),
    self: undefined,
    selfIsData: false,
    previous: undefined,
    variables: new Set(),
    variableSecrets: new Map(),
    hiddenVariables: new Set(),
    stored: new Map(),
    templates: new Map(),
    open: [],
    fillings: { left: 1000 },
    allowed: undefined,
    masked: false,
    reads: new Map(),
    ownReads: [],
    states: new Set(),
    secrets: new Map(),
    variableReads: new Map(),
    needs: emptyNeeds(),
    optional: emptyNeeds(),
    wanted: [],
    ...parts,
  };
}

/** Roots that exist when the process starts, and whose values operators set. */
export const startRoots: ReadonlySet<string> = new Set(["env", "var", "ap_var"]);

/** Roots whose values are settings of the service. */
export const settingRoots: ReadonlySet<string> = new Set([...startRoots, "secret"]);

/** Roots whose values exist before any request (spec/language 1.4): for `global.variables` and the settings of databases. */
export const configRoots: ReadonlySet<string> = new Set([...settingRoots, "uuid", "timestamp"]);

/** The surroundings of a field whose markers may read only these roots (PW206). */
export const readingOnly = (allowed: ReadonlySet<string>, cx: Lowering): Lowering => ({ ...cx, scope: { ...cx.scope, allowed } });

/** The surroundings inside a template. Problems there are reported in the text of the template. */
export function inTemplate(cx: Lowering, name: string): Lowering {
  return { ...cx, scope: { ...cx.scope, open: [...cx.scope.open, name] } };
}

/** The scalar of a template, which counts as text even when YAML reads it as a number or boolean. */
export const templateText = (node: Node): ScalarNode | undefined => (node.kind === "scalar" ? node : undefined);
