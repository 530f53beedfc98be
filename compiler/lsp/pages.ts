import type { TextDocumentContentParams, TextDocumentContentResult } from "vscode-languageserver/node";
import { allFailures } from "../diagnostics/codes/failures.ts";
import { allCodes } from "../diagnostics/codes/index.ts";
import type { Session } from "./session.ts";

/** The page of a code, as `explain` prints it; undefined for an unknown code. */
export function pageOf(code: string): string | undefined {
  const entry = [...allCodes, ...allFailures].find((each) => each.code === code);
  return entry === undefined ? undefined : `# ${code} (${entry.severity})\n\n${entry.page}`;
}

/** The page of a code, for clients that can show documents of the server. */
export function pageOfCode(_: Session, { uri }: TextDocumentContentParams): TextDocumentContentResult {
  const code = /\/(PW\d{3})\.md$/.exec(uri)?.[1] ?? "";
  return { text: pageOf(code) ?? `No diagnostic has the code of ${uri}.\n` };
}
