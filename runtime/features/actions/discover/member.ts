import { isIPv6 } from "node:net";
import { Failure } from "../../../value/failure.ts";
import type { Json, JsonObject } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";

/** A live member, as its backend knows it: what it does not know is absent. */
export interface DiscoveredMember {
  readonly name: string;
  readonly address: string;
  readonly port?: number;
  readonly ready?: boolean;
  readonly namespace?: string;
  readonly node?: string;
  readonly image?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The entry of a member; without a port it has no url. */
export function entryOf(member: DiscoveredMember, source: string, scheme: string): JsonObject {
  const { name, address, port, labels, ...more } = member;
  const host = isIPv6(address) ? `[${address}]` : address;
  return {
    name,
    address,
    ...(port === undefined ? {} : { port, url: `${scheme}://${host}:${port}` }),
    source,
    ...more,
    ...(labels === undefined ? {} : { labels: { ...labels } }),
  };
}

/** Sorts members by name, address and port (spec/surfaces 13). */
export function inOrder(members: readonly DiscoveredMember[]): DiscoveredMember[] {
  return members.toSorted((a, b) => compare(a.name, b.name) || compare(a.address, b.address) || (a.port ?? 0) - (b.port ?? 0));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address. */
export function hostAndPort(text: string): { readonly host: string; readonly port?: number } {
  if (isIPv6(text)) return { host: text };
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  if (host === "" || (bracketed !== undefined && !isIPv6(bracketed)))
    throw new Failure("evaluation", `discover: '${text}' is no host or host:port`);
  return port === undefined ? { host } : { host, port: portOf(port) };
}

/** Reads a port, which a marker may give as a text. */
export function portOf(value: Json): number {
  const port = typeof value === "string" && /^\s*\d{1,5}\s*$/.test(value) ? Number(value) : value;
  if (typeof port === "number" && Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Failure("evaluation", `field port: expected 1 to 65535, got '${text(value)}'`);
}
