import {
  type DocumentSymbol,
  type DocumentSymbolParams,
  type SymbolInformation,
  SymbolKind,
  type WorkspaceSymbolParams,
} from "vscode-languageserver/node";
import { type Entry, entriesOf, get, items, type Node, scalarText } from "../1-read/document.ts";
import { present } from "../present.ts";
import type { Session } from "./session.ts";
import { rangeIn, type SourceFile } from "./source-file.ts";

/** The outline of a file: interfaces with their actions, and the shared parts of the configuration. */
export function documentSymbols(session: Session, { textDocument }: DocumentSymbolParams): DocumentSymbol[] {
  const source = session.source(textDocument.uri);
  return source === undefined ? [] : outlineOf(source);
}

/**
 * The names in all projects that match a query: interfaces, actions and shared parts. A name matches if it has the letters of the query in
 * order.
 */
export function workspaceSymbols(session: Session, { query }: WorkspaceSymbolParams): SymbolInformation[] {
  const letters = query.toLowerCase();
  const all = session.projects.flatMap((project) => session.filesOf(project));
  const symbols = all.flatMap((source) => flat(outlineOf(source), undefined).map((symbol) => ({ ...symbol, source })));
  const fitting = symbols.filter(({ name }) => inOrder(letters, name.toLowerCase())).slice(0, mostSymbols);
  return fitting.map(({ name, kind, selectionRange, container, source }) => ({
    name,
    kind,
    location: { uri: session.uriOf(source.path), range: selectionRange },
    ...present({ containerName: container }),
  }));
}

const mostSymbols = 500;

function inOrder(query: string, name: string): boolean {
  let at = 0;
  for (const letter of query) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function flat(
  symbols: readonly DocumentSymbol[],
  container: string | undefined,
): readonly (DocumentSymbol & { readonly container: string | undefined })[] {
  return symbols.flatMap((symbol) => [{ ...symbol, container }, ...flat(symbol.children ?? [], symbol.name)]);
}

function outlineOf(source: SourceFile): DocumentSymbol[] {
  const root = source.document?.root;
  const make: Make = (name, kind, key, value, { detail = "", children = [] } = {}) => ({
    // Clients do not accept a symbol with an empty name.
    ...{ name: name === "" ? "(no name)" : name, detail, kind, children },
    range: rangeIn(source, { start: Math.min(key.start, value.start), end: Math.max(key.end, value.end) }),
    selectionRange: rangeIn(source, key),
  });
  if (source.role === "variables") return entriesOf(root).map((one) => ofEntry(one, SymbolKind.Constant, make));
  if (source.role === "test") return items(get(root, "tests")).map((test) => ofTest(test, make));
  const shared = entriesOf(get(root, "global")).flatMap(({ key, value }) =>
    kindsOfGlobal[key] === undefined ? [] : entriesOf(value).map((one) => ofEntry(one, kindsOfGlobal[key] ?? SymbolKind.Constant, make)),
  );
  const interfaces = entriesOf(get(root, "interfaces")).map((one) => ofInterface(one, make));
  return [...shared, ...interfaces, ...actionsOf(get(get(root, "spec"), "actions") ?? get(root, "actions"), make)];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

type Make = (
  name: string,
  kind: SymbolKind,
  key: Span,
  value: Span,
  rest?: { readonly detail?: string; readonly children?: DocumentSymbol[] },
) => DocumentSymbol;

const kindsOfGlobal: Readonly<Record<string, SymbolKind>> = {
  databases: SymbolKind.Struct,
  variables: SymbolKind.Constant,
  templates: SymbolKind.String,
  secrets: SymbolKind.Key,
};

const ofEntry = ({ key, keySpan, value }: Entry, kind: SymbolKind, make: Make): DocumentSymbol => make(key, kind, keySpan, value.span);

function ofTest(test: Node, make: Make): DocumentSymbol {
  const name = get(test, "name");
  return make(scalarText(name) ?? "", SymbolKind.Method, name?.span ?? test.span, test.span, {
    detail: scalarText(get(test, "interface")) ?? "",
  });
}

function ofInterface({ key, keySpan, value }: Entry, make: Make): DocumentSymbol {
  const [method, route] = [scalarText(get(value, "method")), scalarText(get(value, "route"))];
  const detail = [method, route].filter((part) => part !== undefined).join(" ");
  return make(key, SymbolKind.Interface, keySpan, value.span, { detail, children: actionsOf(get(value, "actions"), make) });
}

function actionsOf(list: Node | undefined, make: Make): DocumentSymbol[] {
  return items(list).map((action) => {
    const name = get(action, "name");
    const children = actionsOf(get(action, "actions"), make);
    return make(scalarText(name) ?? "", SymbolKind.Function, name?.span ?? action.span, action.span, { children });
  });
}
