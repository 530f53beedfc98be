/**
 * Namespaces of the state for the service itself. Neither a configuration nor a request that names a namespace can use them. `owner` is an
 * organisation and an environment.
 */
export const ownNamespaces = {
  /** Counts of requests, by caller. */
  rateLimits: "pipewright.rate_limit",
  /** The processes that serve. Services that share a database differ in their owners. */
  nodes: (owner: string): string => `pipewright.nodes ${owner}`,
  /** Retained messages of a protocol. */
  retained: (protocol: RetainingProtocol, owner: string): string => `${protocol} retained ${owner}`,
  /** The names of the channels, or topics, that have a retained message. */
  channels: (protocol: RetainingProtocol, owner: string): string => `${protocol} channels ${owner}`,
} as const;

/** Protocols with retained messages. */
export type RetainingProtocol = (typeof protocols)[number];
const protocols = ["ws", "mqtt"] as const;

const { rateLimits, nodes, retained, channels } = ownNamespaces;
const beginnings = [nodes(""), ...protocols.flatMap((protocol) => [retained(protocol, ""), channels(protocol, "")])];

export const isOwnNamespace = (name: string): boolean => name === rateLimits || beginnings.some((beginning) => name.startsWith(beginning));
