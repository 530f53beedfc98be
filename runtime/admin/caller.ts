import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * True when the request was meant for this server: a page in a browser may have a name of its own that leads to our address (DNS
 * rebinding), and may send a request to ours from anywhere. Addresses and `localhost` are no names that somebody else can have.
 */
export function isMeant({ headers }: IncomingMessage, hosts: readonly string[]): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const [, bracketed, plain = ""] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(headers.host ?? "") ?? [];
  const name = (bracketed ?? plain).toLowerCase();
  return name !== "" && (isIP(name) !== 0 || name === "localhost" || hosts.includes(name));
}
