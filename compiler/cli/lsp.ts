import { serveEditor } from "../lsp/server.ts";

/** Serves an editor until it goes away; the connection then ends the process. */
export function lsp(): Promise<number> {
  serveEditor(process.stdin, process.stdout);
  return new Promise(() => undefined);
}
