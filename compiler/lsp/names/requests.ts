import {
  type Location,
  LSPErrorCodes,
  type Range,
  type ReferenceParams,
  type RenameParams,
  ResponseError,
  type TextDocumentPositionParams,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { roots } from "#runtime/run/marker-roots.ts";
import type { Session } from "../session.ts";
import { rangeIn, type SourceFile } from "../source-file.ts";
import { allOf, type Mention, mentionsAt, mentionsIn } from "./mentions.ts";

/** The location of a mention in a file of the project. */
function locationOf(mention: Mention, { project }: SourceFile, session: Session): Location[] {
  const file = session.files.of(mention.path, project);
  return file === undefined ? [] : [{ uri: session.uriOf(mention.path), range: rangeIn(file, mention) }];
}

/** The place that defines the thing named at a place. */
export function definition(session: Session, { textDocument, position }: TextDocumentPositionParams): Location[] {
  const source = session.source(textDocument.uri);
  if (source === undefined) return [];
  const here = mentionsAt(source, source.lines.offsetAt(position), session);
  const all = here.flatMap((mention) => allOf(mention, source, session).filter(({ defines }) => defines));
  return all.flatMap((mention) => locationOf(mention, source, session));
}

/** All places that mention the thing named at a place. */
export function references(session: Session, { textDocument, position, context }: ReferenceParams): Location[] {
  const source = session.source(textDocument.uri);
  if (source === undefined) return [];
  const here = mentionsAt(source, source.lines.offsetAt(position), session);
  const all = here.flatMap((mention) => allOf(mention, source, session));
  return all.filter(({ defines }) => !defines || context.includeDeclaration).flatMap((mention) => locationOf(mention, source, session));
}

/** The kinds of things that can be renamed. Names of other kinds are file names, or callers know them. */
const renamed: ReadonlySet<Mention["kind"]> = new Set(["action", "database", "template", "variable", "secret"]);

/** The range of the name at a place; null if it cannot be renamed. */
export function prepareRename(session: Session, { textDocument, position }: TextDocumentPositionParams): Range | null {
  const source = session.source(textDocument.uri);
  const [mention] = source === undefined ? [] : mentionsAt(source, source.lines.offsetAt(position), session);
  return source === undefined || mention === undefined || !renamed.has(mention.kind) ? null : rangeIn(source, mention);
}

/** The edits that rename a thing at all its mentions. They are refused if a name would then mean another thing. */
export function rename(session: Session, { textDocument, position, newName }: RenameParams): WorkspaceEdit | ResponseError {
  const source = session.source(textDocument.uri);
  const here = source === undefined ? [] : mentionsAt(source, source.lines.offsetAt(position), session);
  const [mention, another] = here;
  if (source === undefined || mention === undefined || !renamed.has(mention.kind)) return refused("nothing here can be renamed");
  if (another !== undefined) return refused(`several interfaces take in this module, and each has an action '${mention.name}' of its own`);
  const problem = problemOf(newName, mention, source, session);
  if (problem !== undefined) return refused(problem);
  const changes: Record<string, TextEdit[]> = {};
  for (const each of allOf(mention, source, session)) {
    const file = session.files.of(each.path, source.project);
    if (file === undefined) continue;
    if (file.text.slice(each.start, each.end) !== mention.name) return refused(`'${mention.name}' is source with escapes in ${each.path}`);
    const uri = session.uriOf(each.path);
    changes[uri] = [...(changes[uri] ?? []), { range: rangeIn(file, each), newText: newName }];
  }
  return { changes };
}

const refused = (reason: string): ResponseError => new ResponseError(LSPErrorCodes.RequestFailed, reason);

/** The form of names that a marker can read. */
const plainName = /^[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*$/;

function problemOf(name: string, mention: Mention, source: SourceFile, session: Session): string | undefined {
  if (!plainName.test(name)) return `'${name}' cannot be read by a marker: use letters, digits, _ and -, and begin with a letter`;
  if (/^(?:true|false|null)$/i.test(name)) return `'${name}' is no text in YAML`;
  if (mention.kind === "action" && name.length > 100) return "a name of an action has at most 100 characters";
  if (mention.kind === "action" && (Object.hasOwn(roots, name) || name === "previous")) return `'${name}' is a root of markers`;
  const files = session.filesOf(source.project);
  const scope = files.flatMap((file) => mentionsIn(file, session, files));
  const isTaken = scope.some(
    (each) => each.defines && each.kind === mention.kind && each.name === name && sameList(each.scope, mention.scope),
  );
  return isTaken ? `there is already ${mention.kind === "action" ? "an action" : `a ${mention.kind}`} '${name}'` : undefined;
}

/** True when names in one scope are visible in the other: in lists inside or around a list, and in interfaces of a configuration. */
const sameList = (a: string, b: string): boolean => a === b || a.startsWith(b.slice(0, -1)) || b.startsWith(a.slice(0, -1));
