import type { IncomingMessage } from "node:http";
import { bareHost, isLoopback } from "../../outgoing/secure-way.ts";

/**
 * True unless a page of a foreign site may be behind a request. Pages of the same host and of `PIPEWRIGHT_MCP_ORIGINS` are allowed. A
 * server that listens on loopback accepts only names of loopback as its own, so that no name of another host can resolve to it (DNS
 * rebinding; spec/surfaces 6).
 */
export function isTrusted({ headers: { origin, host = "" } }: IncomingMessage, bound: string, origins: readonly string[]): boolean {
  if (isLoopback(bound) && !isLoopback(hostname(host))) return false;
  if (origin === undefined || origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Origins of `PIPEWRIGHT_MCP_ORIGINS`. */
export const originsIn = (text: string | undefined): readonly string[] => (text ?? "").split(",").flatMap((each) => each.trim() || []);

const hostname = (host: string): string => bareHost(host.replace(/:\d*$/, ""));
