import type { Address } from "../../../outgoing/address.ts";
import { notAllowed } from "../../../outgoing/egress.ts";
import type { Json } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";

/**
 * Throws for an address whose host is none of the list: `host`, `host:port`, `*.domain` for all names below a domain, `*` for any host. A
 * list that could not be read allows none.
 */
export function checkAllowed({ hostname, host }: Address, hosts: Json): void {
  const patterns = Array.isArray(hosts) ? hosts.map((one) => text(one).trim().toLowerCase()) : [];
  const names = [hostname, host].map((name) => name.toLowerCase());
  const fits = (pattern: string): boolean =>
    pattern === "*" || names.includes(pattern) || (pattern.startsWith("*.") && names.some((name) => name.endsWith(pattern.slice(1))));
  if (!patterns.some((pattern) => pattern !== "" && fits(pattern))) throw notAllowed();
}
