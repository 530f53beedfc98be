import { serveEditor } from "../lsp/server.ts";

/** Serves an editor until it closes the connection, which ends the process. */
export function lsp(): Promise<number> {
  serveEditor(process.stdin, process.stdout);
  return new Promise(() => undefined);
}
