import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback } from "#runtime/process/settings/bind.ts";

// This file decides who may read the pages of `dev`, and who may change something through them.

export const forbidden = { error: "forbidden" } as const;

/** True for a request from this machine that no page of another site has sent. With `--address`, other machines may reach `dev`, too. */
export function isOwnUser({ socket, headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  return isLoopback(address) && (site === undefined || site === "same-origin" || site === "none");
}

/** True for a request of the page of `dev`, which alone has the token and acts for the user of this machine. */
export const isOwnPage = (message: IncomingMessage, token: string): boolean =>
  isOwnUser(message) && isToken(message.headers["x-pipewright-token"], token);

function isToken(given: string | readonly string[] | undefined, token: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
