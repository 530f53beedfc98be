import type { ConditionPlan, PolicyPlan, RulesPlan, Span } from "#runtime/plan/index.ts";
import type { Document, Entry, Node } from "../1-read/document.ts";

/** A config whose names are bound; every value still knows its place. */
export interface ResolvedConfig {
  readonly document: Document;
  readonly root: Node;
  readonly name: string;
  readonly nameNode: Node | undefined;
  readonly variables: readonly Entry[];
  readonly templates: readonly Entry[];
  /** `global.http`: defaults merged under every `http` block. */
  readonly http: Node | undefined;
  readonly secrets: readonly Entry[];
  readonly databases: readonly ResolvedDatabase[];
  /** Rules that interfaces inherit. */
  readonly network?: RulesPlan;
  readonly interfaces: readonly ResolvedInterface[];
  /** `on_error`, whose interface exists. */
  readonly onError?: { readonly node: Node; readonly interface: string };
}

export interface ResolvedDatabase {
  readonly name: string;
  readonly node: Node;
  readonly driver: string | undefined;
  readonly span: Span;
}

export interface ResolvedInterface {
  readonly name: string;
  readonly span: Span;
  readonly node: Node;
  readonly actions: readonly ResolvedAction[];
  readonly output: "http" | "cli" | "none";
  /** True when `output: none` is written: no client gets the outcome (spec/language 7.6). */
  readonly discards?: true;
  readonly method: string;
  /** Path with a leading slash; absent when not served over HTTP (spec/language 7.1). */
  readonly route?: string;
  readonly routeSpan: Span;
  readonly templates: readonly Entry[];
  /** True when a test of the interface, or of its `subscribe_authorizer`, verifies a token. */
  readonly verifies?: true;
  /** True when an agent of the configuration may call the interface. */
  readonly isTool?: true;
  /** The policy of the interface, merged with the policy of the configuration. */
  readonly network?: PolicyPlan;
}

export type GateName = "run_when_succeeded" | "run_when_failed" | "depends_on";

/** A gate. It keeps the place of each name, so that cycles can be reported there. */
export interface ResolvedCondition extends ConditionPlan {
  readonly spans: readonly Span[];
}

export interface ResolvedAction {
  readonly name: string;
  /** The place of the name, or of the action when it has no name. */
  readonly span: Span;
  readonly node: Node;
  readonly gates: Partial<Readonly<Record<GateName, ResolvedCondition>>>;
  /** The action before it in the list. */
  readonly previous: string | undefined;
  /** The actions that a lookup runs for every item: a scope of its own. */
  readonly actions?: readonly ResolvedAction[];
}
