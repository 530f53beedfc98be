import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * True when the request was meant for this server. A web page may let a name of its own lead to our address (DNS rebinding), and any page
 * may send a request to our own name. Addresses and `localhost` are safe, because nobody else can own them.
 */
export function isMeant({ headers: { origin, host = "", "sec-fetch-site": said } }: IncomingMessage, hosts: readonly string[]): boolean {
  // Over plain HTTP browsers name the page alone.
  if (said ? said !== "same-origin" && said !== "none" : origin && !origin.endsWith(`//${host}`)) return false;
  const [, bracketed, plain = ""] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(host) ?? [];
  const name = (bracketed ?? plain).toLowerCase();
  return name !== "" && (isIP(name) !== 0 || name === "localhost" || hosts.includes(name));
}
