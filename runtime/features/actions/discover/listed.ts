import type { Json } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";
import { type DiscoveredMember, hostAndPort } from "./member.ts";

/** `static`: members that are written down; empty ones and null are dropped. */
export function listed(list: Json, port: number | undefined): readonly DiscoveredMember[] {
  const entries = Array.isArray(list) ? list.map((entry) => (entry === null ? "" : text(entry))) : text(list).split(",");
  return entries.flatMap((entry) => {
    const member = entry.trim();
    if (member === "") return [];
    const { host, port: own = port } = hostAndPort(member);
    return [{ name: host, address: host, ...(own === undefined ? {} : { port: own }) }];
  });
}
