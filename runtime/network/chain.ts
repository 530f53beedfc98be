import { isIP } from "node:net";
import type { JsonObject } from "../value/json.ts";
import type { Caller } from "./gate.ts";

/** Hops of a forwarding chain that are read, counted from its end, where the nearest proxy has added its own. */
const maxHops = 50;

/** The addresses of a request, as texts. `socket` is the peer; all others come from headers, which any caller can write. */
export interface Chain {
  readonly socket: string | null;
  /** Absent: no `x-real-ip`. */
  readonly realIp: string | undefined;
  readonly hops: readonly string[];
}

export function chainOf({ headers, peer }: Caller): Chain {
  return {
    socket: peerOf({ peer }),
    realIp: hopsOf(headers["x-real-ip"])[0],
    hops: hopsOf(headers["x-forwarded-for"]),
  };
}

/** The address that a request says it comes from: the first hop, else `x-real-ip`, else the peer (spec/surfaces 9). */
export const claimed = ({ hops, realIp, socket }: Chain): string | null => hops[0] ?? realIp ?? socket;

/** The root `ip` of a request without a network policy (spec/surfaces 9). */
export function ipOf(caller: Caller): JsonObject {
  const chain = chainOf(caller);
  return ipRecord(chain, claimed(chain), chain.realIp);
}

/** The root `ip`. Its `real_ip` is the header alone; only the source of a policy falls back to the client. */
export function ipRecord({ socket, hops }: Chain, client: string | null, realIp: string | undefined): JsonObject {
  return { client, socket, real_ip: realIp ?? null, forwarded_chain: [...hops], country: null, asn: null };
}

function hopsOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  const line = Array.isArray(header) ? header.join(",") : header;
  const all = line.split(",").map((hop) => plain(hop.trim()));
  return all.filter((hop) => hop !== "").slice(-maxHops);
}

/** The address of a peer as a text. */
export const peerOf = ({ peer }: Pick<Caller, "peer">): string | null => (peer === undefined ? null : plain(peer));

/**
 * Without port, brackets, zone and the IPv6 form of an IPv4 address; IPv6 as RFC 5952 writes it. A hop that is no address stays as it is.
 */
function plain(hop: string): string {
  if (isIP(hop) === 4) return hop;
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1];
  const address = bracketed ?? (/^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop);
  const zone = address.indexOf("%");
  const bare = zone < 0 ? address : address.slice(0, zone);
  const family = isIP(bare);
  if (family === 0) return address;
  return family === 6 ? canonical(bare) : bare;
}

/** An IPv6 address in its one form, and the IPv4 address of `::ffff:192.0.2.1`; both may be written in many ways. */
function canonical(address: string): string {
  const dotted = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const text = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? address;
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(text) ?? [];
  if (high === undefined || low === undefined) return text;
  const parts = [high, low].map((part) => Number.parseInt(part, 16));
  return parts.flatMap((part) => [part >> 8, part & 255]).join(".");
}
