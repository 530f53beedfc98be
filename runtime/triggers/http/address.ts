import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { JsonObject } from "../../json.ts";

/** Hops of a forwarding chain that are read, counted from the end, which the nearest proxy wrote. */
const maxHops = 50;

/**
 * The root `ip` of a request without a network policy (surfaces.md 10, decisions.md A16): the client is the first hop of `x-forwarded-for`, else
 * `x-real-ip`, else the peer. All but `socket` is what the request says of itself.
 */
export function ipOf(headers: IncomingHttpHeaders, peer: string | undefined): JsonObject {
  const socket = peer === undefined ? null : plain(peer);
  const chain = hops(headers["x-forwarded-for"]);
  const realIp = hops(headers["x-real-ip"])[0];
  const client = chain[0] ?? realIp ?? socket;
  return { client, socket, real_ip: realIp ?? client, forwarded_chain: chain, country: null, asn: null };
}

function hops(header: string | string[] | undefined): string[] {
  const line = Array.isArray(header) ? header.join(",") : (header ?? "");
  const all = line.split(",").map((hop) => plain(hop.trim()));
  return all.filter((hop) => hop !== "").slice(-maxHops);
}

/** Without port, brackets and the IPv6 form of an IPv4 address. */
function plain(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1];
  const address = bracketed ?? (/^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop);
  const mapped = address.replace(/^::ffff:(?=[\d.]+$)/i, "");
  return isIP(mapped) === 4 ? mapped : address;
}
