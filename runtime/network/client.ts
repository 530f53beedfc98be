import { type Address, parseAddress } from "./addresses/address.ts";
import { type Ranges, ranges } from "./addresses/ranges.ts";
import { type Chain, claimed } from "./chain.ts";

/** The address that a policy looks at, and the proxies that it trusts. */
export interface Sight {
  readonly source: "client" | "socket" | "real_ip";
  /** Absent: all forwarding headers are trusted. */
  readonly proxies: Ranges | undefined;
}

/** The caller as a policy sees it: the client, and `x-real-ip` when it is trusted. */
export interface SeenClient {
  readonly client: string | null;
  readonly realIp: string | undefined;
}

/**
 * The client as the service sees it. With trusted proxies, forwarding headers count only if the peer is such a proxy or this machine. The
 * hops are then read from the right, and the first one that is no trusted proxy is the client; if all are proxies, it is the leftmost. A
 * hop that is no address ends the walk at the last trusted one (spec/surfaces 9).
 */
export function seenIn(chain: Chain, { source, proxies }: Sight): SeenClient {
  if (proxies === undefined || source === "socket") return { client: claimed(chain), realIp: chain.realIp };
  const { socket, hops, realIp } = chain;
  if (!isTrustedPeer(socket, proxies)) return { client: socket, realIp: undefined };
  if (hops.length === 0) return { client: realIp ?? socket, realIp };
  let client = socket;
  for (const hop of hops.toReversed()) {
    const address = parseAddress(hop);
    if (address === undefined) break;
    client = hop;
    if (!proxies.has(address)) break;
  }
  return { client, realIp };
}

/** The text that a policy takes as the address of the caller, by its `source`. */
export function sourceOf({ socket }: Chain, { client, realIp }: SeenClient, source: Sight["source"]): string | null {
  if (source === "socket") return socket;
  return source === "real_ip" ? (realIp ?? client) : client;
}

/** Every address of the request that can be read (`deny_check: all`). */
export function everyAddress({ socket, realIp, hops }: Chain, { client }: SeenClient): readonly Address[] {
  return [client, socket, realIp ?? null, ...hops].flatMap((text) => (text === null ? [] : (parseAddress(text) ?? [])));
}

/** A peer without an address is a socket of this machine, which is trusted. */
export function isTrustedPeer(socket: string | null, proxies: Ranges): boolean {
  if (socket === null) return true;
  const address = parseAddress(socket);
  return address !== undefined && (loopback.has(address) || proxies.has(address));
}

const loopback = ranges(["127.0.0.0/8", "::1"]);
