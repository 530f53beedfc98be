import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * True when the request was meant for this server. A web page may let a name of its own resolve to this server's address (DNS rebinding),
 * and any page may send a request to the server's own name. Addresses and `localhost` are safe, because no attacker can own them.
 */
export function isMeant({ headers: { origin, host = "", "sec-fetch-site": site } }: IncomingMessage, hosts: readonly string[]): boolean {
  // Over plain HTTP, browsers send only the `origin` of the page.
  if (site ? site !== "same-origin" && site !== "none" : origin && !origin.endsWith(`//${host}`)) return false;
  const [, bracketed, plain = ""] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(host) ?? [];
  const name = (bracketed ?? plain).toLowerCase();
  return name !== "" && (isIP(name) !== 0 || name === "localhost" || hosts.includes(name));
}
