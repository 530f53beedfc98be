/** The kinds of things outside that an interface may touch, in the order of the manifest. */
export type CapabilityKind =
  | ("hosts" | "tables" | "commands" | "channels" | "topics" | "mail_servers" | "mail_senders" | "mail_recipients")
  | ("tools" | "secrets" | "state" | "files");

/**
 * One thing outside that an interface may touch. In its name `*` stands for any text, and a marker such as `a|env::STORE|` for a value of
 * the configuration that is known only when the process runs.
 */
export interface Capability {
  readonly name: string;
  /** The database of a table, the namespace of a key, the shell of a script, the host of a file on another machine or of a tool. */
  readonly of?: string;
  /** The statements of a table, the operations of a key or of a file. */
  readonly verbs?: readonly string[];
  /** Where the name comes from when data choose it: an answer of a service, or a request. */
  readonly from?: "service" | "request";
  /** The hosts to which the data are limited; `public` stands for all addresses outside private networks. */
  readonly within?: readonly string[];
}

/** The things outside that an interface may touch, by kind; a kind without any is left out. */
export type Capabilities = { readonly [K in CapabilityKind]?: readonly Capability[] };
