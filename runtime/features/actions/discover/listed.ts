import type { Json } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";
import { type DiscoveredMember, hostAndPort } from "./member.ts";

/** `static`: members that are written down; empty ones and null are dropped. */
export function listed(given: Json, port: number | undefined): readonly DiscoveredMember[] {
  const entries = Array.isArray(given) ? given.map((entry) => (entry === null ? "" : text(entry))) : text(given).split(",");
  return entries.flatMap((entry) => {
    const written = entry.trim();
    if (written === "") return [];
    const { host, port: own = port } = hostAndPort(written);
    return [{ name: host, address: host, ...(own === undefined ? {} : { port: own }) }];
  });
}
