import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback } from "#runtime/process/settings/bind.ts";

// The rights at the pages of `dev`: who may ask them, and who may change something by them.

export const forbidden = { error: "forbidden" } as const;

/** A browser says which page has sent a request; `dev` may be reached from other machines by `--address`. */
export function isOwnUser({ socket, headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  return isLoopback(address) && (site === undefined || site === "same-origin" || site === "none");
}

/** The page of `dev` alone has the token; it does something in the name of whoever sits at this machine. */
export const isOwnPage = (message: IncomingMessage, token: string): boolean =>
  isOwnUser(message) && isToken(message.headers["x-pipewright-token"], token);

function isToken(given: string | readonly string[] | undefined, token: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
