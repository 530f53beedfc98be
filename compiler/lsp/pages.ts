import { type Connection, TextDocumentContentRequest } from "vscode-languageserver/node";
import { allFailures } from "../diagnostics/codes/failures.ts";
import { allCodes } from "../diagnostics/codes/index.ts";

/** The page of a code, as `explain` prints it; undefined for an unknown one. */
export function pageOf(code: string): string | undefined {
  const entry = [...allCodes, ...allFailures].find((each) => each.code === code);
  return entry === undefined ? undefined : `# ${code} (${entry.severity})\n\n${entry.page}`;
}

/** Serves the pages of codes to clients that show documents of a server. */
export function pagesOfCodes(connection: Connection): void {
  connection.onRequest(TextDocumentContentRequest.type, ({ uri }) => {
    const code = /\/(PW\d{3})\.md$/.exec(uri)?.[1] ?? "";
    return { text: pageOf(code) ?? `No diagnostic has the code of ${uri}.\n` };
  });
}
