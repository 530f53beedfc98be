import type { ConfigPlan, InterfacePlan } from "#runtime/plan/index.ts";
import type { InterfaceShapes } from "./shapes/index.ts";

/**
 * The plan of a configuration with all facts about it. Later phases accept only this type, so that a plan without analysis cannot be
 * printed. Facts that the interpreter reads stand in the ops and tests themselves; the facts here are never part of a module.
 */
export interface AnalysedPlan extends Omit<ConfigPlan, "interfaces"> {
  readonly interfaces: readonly AnalysedInterface[];
  readonly uses: ConfigUses;
}

export interface AnalysedInterface extends InterfacePlan {
  readonly uses: InterfaceUses;
  readonly shapes: InterfaceShapes;
  /** Present when runs of the interface are kept in the store. */
  readonly keeps?: DurableFact;
}

/**
 * The plan of a durable interface as nodes compare it: one hash for each action that may be the first open one, and one hash for the end of
 * the run.
 */
export interface DurableFact {
  readonly plans: readonly string[];
}

/** The features that an interface names, and what else it needs of the runtime. Names are sorted. */
export interface InterfaceUses {
  readonly transforms: readonly string[];
  readonly matchers: readonly string[];
  /** Matchers of conditions of a `filter`, of which only the result counts and not the text of a failure. */
  readonly plain: readonly string[];
  /** Kinds of actions, without those that ask a database. */
  readonly actions: readonly string[];
  readonly databases: readonly DatabaseUse[];
  /** Databases that keep the records of runs. */
  readonly records: readonly string[];
  /** Secrets that attempts of actions read. */
  readonly secrets: readonly string[];
  /** True when a marker calls a filter. */
  readonly filters: boolean;
  /** True when a field or a marker holds a jq filter. */
  readonly jq: boolean;
  /** True when an action forwards the stream that it reads to a channel. */
  readonly streams: boolean;
  /** True when an agent keeps its conversation in the durable state. */
  readonly remembers: boolean;
  /** True when two writes to the durable state may conflict, so that one fails with 409. */
  readonly collides: boolean;
  /** True when a run waits until a user with a token answers. */
  readonly waits: boolean;
  /** True when an agent runs an interface that tells a user of a call. */
  readonly tells: boolean;
  /** True when a marker reads the body of the request. */
  readonly body: boolean;
}

/** A database that actions ask, and the kind of these actions. */
export interface DatabaseUse {
  readonly name: string;
  readonly use: "database" | "document_operation";
}

/** The needs of a configuration at run time. Names are sorted. */
export interface ConfigUses {
  readonly features: { readonly transforms: readonly string[]; readonly matchers: readonly string[]; readonly actions: readonly string[] };
  /** Drivers of its databases. */
  readonly drivers: readonly string[];
  /** Parts of the runtime that the linker leaves out unless a configuration needs them. */
  readonly parts: readonly RuntimePart[];
  /** Protocols whose connections stay open. */
  readonly protocols: readonly ProtocolName[];
  /** True when an interface is a tool of MCP, or may become one when the process starts. */
  readonly tools: boolean;
  /** True when an agent may call an interface. */
  readonly calls: boolean;
  /** True when a user may answer a run that waits. */
  readonly callbacks: boolean;
  /** True when an interface answers before its runs are over. */
  readonly detaches: boolean;
  /** True when an interface runs by a schedule. */
  readonly schedules: boolean;
  /** The other triggers of the interfaces. */
  readonly triggers: readonly string[];
  /** True when clients or actions use channels. */
  readonly channels: boolean;
  /** True when runs of an interface are kept in the store. */
  readonly durable: boolean;
  /** True when a run reads or writes the durable state. */
  readonly store: boolean;
}

export type ProtocolName = "mqtt" | "ws";

/**
 * `json_path` reads queries of RFC 9535 beyond names, indexes and wildcards; `key_sets` fetches keys of token issuers; `mcp_client`
 * speaks to servers of tools; `ses` sends mail by Amazon SES; `upgrades` lets connections leave HTTP.
 */
export type RuntimePart = "json_path" | "key_sets" | "mcp_client" | "ses" | "upgrades";
