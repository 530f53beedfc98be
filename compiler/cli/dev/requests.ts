import type { IncomingMessage, ServerResponse } from "node:http";
import type { Beside } from "#runtime/triggers/http-server.ts";
import { visibleLine } from "#runtime/value/visible.ts";
import type { Terminal } from "../project.ts";
import { linked } from "./links.ts";
import type { DevRoute } from "./page.ts";

/**
 * Prints a line for each request when its answer was sent: `12:34:56 GET /notes 200 3 ms`. The query is left out, since it may carry
 * credentials.
 */
export function sayingRequests(beside: Beside, terminal: Pick<Terminal, "out" | "colors">): Beside {
  const heard = new WeakSet<IncomingMessage>();
  return (message, response, isFree) => {
    if (!heard.has(message)) {
      heard.add(message);
      sayRequest(message, response, terminal);
    }
    return beside(message, response, isFree);
  };
}

function sayRequest(
  { method = "", url = "/" }: IncomingMessage,
  response: ServerResponse,
  { out, colors }: Pick<Terminal, "out" | "colors">,
): void {
  const path = url.replace(/\?.*$/s, "");
  // Requests of the page of `dev` are left out, because they are repeated all the time.
  if (path.startsWith("/_pipewright/")) return;
  const began = performance.now();
  response.once("close", () => {
    const ms = Math.round(performance.now() - began);
    const status = response.writableFinished ? String(response.statusCode) : "gone";
    const shown = colors.out ? `\u001b[${colorOf(response.statusCode)}m${status}\u001b[39m` : status;
    out(`${clock()} ${method.padEnd(6)} ${visibleLine(path)} ${shown} ${ms} ms\n`);
  });
}

const colorOf = (status: number): number => (status >= 500 ? 31 : status >= 400 ? 33 : 32);

/** The time of day, as at the begin of lines of the log. */
const clock = (): string => new Date().toTimeString().slice(0, 8);

/** The routes as a table, with the place of each interface as a link for the editor. */
export function routeTable(routes: readonly DevRoute[], terminal: Terminal): string {
  const widths = [routes.map(({ method }) => method.length), routes.map(({ path }) => path.length)].map((all) => Math.max(0, ...all));
  const [methods = 0, paths = 0] = widths;
  return routes
    .map(({ method, path, interface: target, at }) => {
      const place = at === undefined ? "" : `  ${linked(at, terminal)}`;
      return `  ${method.padEnd(methods)}  ${visibleLine(path).padEnd(paths)}  ${visibleLine(target)}${place}\n`;
    })
    .join("");
}
