import type { IncomingMessage } from "node:http";

/**
 * Whether a page of a browser may be behind a request: none may but those of the same host and those of `PIPEWRIGHT_MCP_ORIGINS`. A server
 * that listens on loopback takes only names of loopback for its own, so that no name of another host can be pointed at it (DNS rebinding;
 * spec/surfaces 6).
 */
export function isTrusted({ headers: { origin, host = "" } }: IncomingMessage, bound: string, origins: readonly string[]): boolean {
  if (isLoopback(bound) && !isLoopback(hostname(host))) return false;
  if (origin === undefined || origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Origins of `PIPEWRIGHT_MCP_ORIGINS`. */
export const originsIn = (text: string | undefined): readonly string[] => (text ?? "").split(",").flatMap((each) => each.trim() || []);

const hostname = (host: string): string => host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");

const isLoopback = (name: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(name);
