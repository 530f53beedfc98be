import type { ConfigPlan, InterfacePlan } from "#runtime/plan/index.ts";
import type { InterfaceShapes } from "./shapes/index.ts";

/**
 * The plan of a configuration with all that is known of it. Phases after this one take no other, so that a plan which was not analysed
 * cannot be printed. Facts that the interpreter reads stand in the ops and tests themselves; those here are never part of a module.
 */
export interface AnalysedPlan extends Omit<ConfigPlan, "interfaces"> {
  readonly interfaces: readonly AnalysedInterface[];
  readonly uses: ConfigUses;
}

export interface AnalysedInterface extends InterfacePlan {
  readonly uses: InterfaceUses;
  readonly shapes: InterfaceShapes;
  /** Its runs are kept in the store. */
  readonly keeps?: DurableFact;
}

/** The plan of a durable interface as nodes compare it: one hash for each first open action, and one for the end alone. */
export interface DurableFact {
  readonly plans: readonly string[];
}

/** The features that an interface names, and what else it needs of the runtime. Names are sorted. */
export interface InterfaceUses {
  readonly transforms: readonly string[];
  readonly matchers: readonly string[];
  /** Matchers that a condition of a `filter` only asks whether they hold. */
  readonly plain: readonly string[];
  /** Kinds of actions, without those that ask a database. */
  readonly actions: readonly string[];
  readonly databases: readonly DatabaseUse[];
  /** Databases that keep records of its runs. */
  readonly records: readonly string[];
  /** Secrets that attempts of its actions read. */
  readonly secrets: readonly string[];
  /** A marker calls a filter. */
  readonly filters: boolean;
  /** A field or a marker holds a jq filter. */
  readonly jq: boolean;
  /** An action forwards the stream that it reads to a channel. */
  readonly streams: boolean;
  /** An agent keeps its conversation in the durable state. */
  readonly remembers: boolean;
  /** A write to the durable state may meet another one, and fail with 409. */
  readonly collides: boolean;
  /** A run waits until somebody who has a token answers. */
  readonly waits: boolean;
  /** An agent runs an interface that tells somebody of a call. */
  readonly tells: boolean;
  /** A marker reads the body of the request. */
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
  /** Parts of the runtime that a link leaves out where no configuration needs them. */
  readonly parts: readonly RuntimePart[];
  /** Protocols whose connections stay open. */
  readonly protocols: readonly ProtocolName[];
  /** An interface is a tool of MCP, or may become one when the process starts. */
  readonly tools: boolean;
  /** An agent may call an interface. */
  readonly calls: boolean;
  /** Somebody may answer a run that waits. */
  readonly callbacks: boolean;
  /** An interface answers before its runs are over. */
  readonly detaches: boolean;
  /** An interface runs by a schedule. */
  readonly schedules: boolean;
  /** Further triggers of its interfaces. */
  readonly triggers: readonly string[];
  /** Clients or actions use channels. */
  readonly channels: boolean;
  /** Runs of an interface are kept in the store. */
  readonly durable: boolean;
  /** A run reads or writes the durable state. */
  readonly store: boolean;
}

export type ProtocolName = "mqtt" | "ws";

/**
 * `json_path` reads queries of RFC 9535 beyond names, indexes and wildcards; `key_sets` fetches keys of token issuers; `mcp_client`
 * speaks to servers of tools; `ses` sends mail by Amazon SES; `upgrades` lets connections leave HTTP.
 */
export type RuntimePart = "json_path" | "key_sets" | "mcp_client" | "ses" | "upgrades";
