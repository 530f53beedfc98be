import type { JsonSchema } from "#runtime/features/feature.ts";
import type { ConfigStartPlan, Expr, Needs, Span } from "#runtime/plan/index.ts";
import type { Node, ScalarNode } from "../../1-read/document.ts";
import type { Included } from "../../1-read/files.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import type { Scalar } from "../lower/scalar.ts";

/** The names that markers may use at one place of a config, and those they have used so far. */
export interface Scope {
  /** Names of the actions in the same list, in any order. */
  readonly actions: ReadonlySet<string>;
  /** The actions as they are written. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** The scope of the loop whose list this is. Its actions are visible, except the loop itself. */
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
  /** Secrets that variables of this config read, also by way of other variables. */
  readonly variableSecrets: ReadonlyMap<string, ReadonlySet<string>>;
  /** Variables of this config whose values are masked in logs, since they read what is masked there, also by way of other variables. */
  readonly hiddenVariables: ReadonlySet<string>;
  /** `global.secrets` by name, each with the format of its text. */
  readonly stored: ReadonlyMap<string, string>;
  /** The texts of `a|template::NAME|`; a template of the interface hides a global one of the same name. */
  readonly templates: ReadonlyMap<string, Node>;
  /** Templates that are being filled, outermost first: a template inside itself would never end. */
  readonly open: readonly string[];
  /** Bounds how many templates one scope may fill in all: each may name another twice. */
  readonly fillings: { left: number };
  /** The only roots that may be used (PW206); undefined allows all. */
  readonly allowed: ReadonlySet<string> | undefined;
  /** In log messages: values of secrets are hidden (spec/language 3.8). */
  readonly masked: boolean;
  /** Filled while lowering: actions whose data is read, each with the place that reads it first. */
  readonly reads: Map<string, Span>;
  /** Filled while lowering: places that read the data of the action itself. */
  readonly ownReads: Span[];
  /** Filled while lowering: names read by `state`, to be loaded before. */
  readonly states: Set<string>;
  /** Filled while lowering: secrets that must be at hand, each with the place that reads it first. */
  readonly secrets: Map<string, Span>;
  /** Filled while lowering: names read by `var`, each with the first place: the edges between `global.variables`. */
  readonly variableReads: Map<string, Span>;
  /** Filled while lowering. A read with `->default(...)` is no need. */
  readonly needs: OpenNeeds;
  /** Filled while lowering: the reads with `->default(...)`. */
  readonly optional: OpenNeeds;
  /** Filled while lowering: where managed variables are read that have neither a default nor a value in the configuration. */
  readonly wanted: WantedVariable[];
}

/** A name that the files of an environment have to define. */
export interface WantedVariable {
  readonly name: string;
  readonly at: Span;
}

export type Markup = "html" | "xml";

export type OpenNeeds = { readonly [Kind in keyof Needs]: Set<string> };

/** Everything a lowering needs besides the value itself. */
export interface Lowering {
  readonly report: Report;
  /** The reason why jq refuses a filter that uses so many bound values; undefined when it takes it. */
  readonly refusal?: (filter: string, names: number) => string | undefined;
  readonly scope: Scope;
  /** The text being lowered is markup, in which data must be escaped (PW285). */
  readonly markup?: Markup | undefined;
  /** The text of a file beside the config, or why there is none. */
  readonly include?: (path: string) => Included;
  /** The records that `$ref` names. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Filled while lowering: settings of actions that are read at the start, by their places. */
  readonly settings?: NonNullable<ConfigStartPlan["settings"]>[number][];
  /** Parameters of the interface that are numbers when it runs, or are texts by their own tests. */
  readonly settled?: ReadonlySet<string>;
  /** Names of the parameters of the interface, in its route and under `params`. */
  readonly params?: ReadonlySet<string>;
  /** Filled while lowering: URLs to call, each with its place. */
  readonly urls?: Map<Expr, Span>;
  /** Context D: fills the holes of a query that has markers, for the driver of its database. */
  readonly sql?: (query: Scalar, cx: Lowering) => Expr;
}

/** The action that a name stands for: in the same list, else in the nearest list around it. */
export interface Visible {
  /** How many loops further out its list is. */
  readonly up: number;
  /** The scope of that list: what reads the action there waits for it. */
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

/** Reads the data of an action that can be seen. The reading action waits for it; when the read stands in a loop, the loop waits. */
export function readAction(name: string, { up, scope }: Visible, at: Span): Expr {
  if (!scope.reads.has(name)) scope.reads.set(name, at);
  return { op: "action", name, ...(up === 0 ? {} : { up }), at };
}

export const emptyNeeds = (): OpenNeeds => ({ env: new Set(), vars: new Set(), secrets: new Set() });

/** A scope; what is left out is empty, and everything is allowed. */
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

/** Roots whose values exist before any request (spec/language 1.4): for `global.variables` and the settings of databases. */
export const configRoots: ReadonlySet<string> = new Set(["env", "var", "ap_var", "secret", "uuid", "timestamp"]);

/** The lowering inside a template, at whose text problems are then reported. */
export function inTemplate(cx: Lowering, name: string): Lowering {
  return { ...cx, scope: { ...cx.scope, open: [...cx.scope.open, name] } };
}

/** A template is text, whatever YAML makes of it. */
export const templateText = (node: Node): ScalarNode | undefined => (node.kind === "scalar" ? node : undefined);
