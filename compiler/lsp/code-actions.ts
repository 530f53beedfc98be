import { type CodeAction, CodeActionKind, type CodeActionParams, type TextEdit } from "vscode-languageserver/node";
import { silencesIn } from "../diagnostics/silence.ts";
import type { EditorRange, PlainDiagnostic } from "./analysis/message.ts";
import { shown } from "./publish.ts";
import type { Session } from "./session.ts";
import type { SourceFile } from "./source-file.ts";

/**
 * The remedies of diagnostics in a range: the fix of each diagnostic, and a comment that silences a warning. They wait for the diagnostics
 * of the current text, because places of an earlier one would be wrong.
 */
export async function codeActions(session: Session, { textDocument, range, context }: CodeActionParams): Promise<CodeAction[]> {
  await session.looked;
  const source = session.source(textDocument.uri);
  if (source === undefined) return [];
  const all = session.found.get(source.path) ?? [];
  const wants = (kind: string): boolean =>
    context.only === undefined || context.only.some((only) => kind === only || kind.startsWith(`${only}.`));
  const here = wants(CodeActionKind.QuickFix) ? all.filter((one) => touches(one.range, range)) : [];
  return [
    ...here.flatMap((one) => fixOf(one, session)),
    ...here.flatMap((one) => silenceOf(one, source, session)),
    ...(wants(CodeActionKind.SourceFixAll) && context.only !== undefined ? fixAll(all, session) : []),
  ];
}

const touches = (a: EditorRange, b: EditorRange): boolean => !isBefore(a.end, b.start) && !isBefore(b.end, a.start);

const isBefore = (a: EditorRange["start"], b: EditorRange["start"]): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);

function fixOf(one: PlainDiagnostic, session: Session): CodeAction[] {
  if (one.fix === undefined) return [];
  const { title, path, range, text } = one.fix;
  return [
    {
      title: title.replace(/^write /, "Write "),
      kind: CodeActionKind.QuickFix,
      diagnostics: [shown(one, session.client.showsPages)],
      isPreferred: true,
      edit: { changes: { [session.uriOf(path)]: [{ range, newText: text }] } },
    },
  ];
}

/** A comment for the line of a warning. If the line is inside a text, there is no place for a comment. */
function silenceOf(one: PlainDiagnostic, source: SourceFile, session: Session): CodeAction[] {
  if (one.severity === "error") return [];
  const { line } = one.range.start;
  const [start, end] = [source.lines.offsetAt({ line, character: 0 }), source.lines.offsetAt({ line: line + 1, character: 0 })];
  const indent = /^[ ]*/.exec(source.text.slice(start, end))?.[0] ?? "";
  const comment = `${indent}# pipewright-ignore ${one.code} \n`;
  const text = source.text.slice(0, start) + comment + source.text.slice(start);
  // Lines of findings count from 1, and the comment moves the finding by one line.
  if (!silencesIn(text).some((each) => each.code === one.code && each.start === start + indent.length && each.line === line + 2)) return [];
  const place = { line, character: 0 };
  return [
    {
      title: `Ignore ${one.code} here`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [shown(one, session.client.showsPages)],
      edit: {
        changes: { [session.uriOf(source.path)]: [{ range: { start: place, end: place }, newText: comment.replace(" \n", "\n") }] },
      },
    },
  ];
}

/** All fixes of a file at once; of two fixes at one place only the first is used. */
function fixAll(found: readonly PlainDiagnostic[], session: Session): CodeAction[] {
  const fixes: { readonly path: string; readonly edit: TextEdit }[] = [];
  for (const { fix } of found) {
    if (fix === undefined || fixes.some(({ path, edit }) => path === fix.path && touches(edit.range, fix.range))) continue;
    fixes.push({ path: fix.path, edit: { range: fix.range, newText: fix.text } });
  }
  if (fixes.length === 0) return [];
  const byPath = Map.groupBy(fixes, ({ path }) => session.uriOf(path));
  const changes = Object.fromEntries([...byPath].map(([uri, list]) => [uri, list.map(({ edit }) => edit)]));
  return [{ title: "Apply all fixes of pipewright", kind: CodeActionKind.SourceFixAll, edit: { changes } }];
}
