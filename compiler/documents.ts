import { type Document, entriesOf, get, plain } from "./1-read/document.ts";
import { read } from "./1-read/index.ts";
import { compareNames } from "./1-read/order.ts";
import { isForeign } from "./2-check/foreign.ts";
import { typeOfNode } from "./2-check/forms.ts";
import { handleOf, hasInterfaces, namedModules } from "./2-check/modules.ts";
import { shape } from "./diagnostics/codes/file.ts";
import { names } from "./diagnostics/codes/names.ts";
import type { Report } from "./diagnostics/diagnostic.ts";
import { allBut, hide } from "./diagnostics/hide.ts";
import type { Memory, Reported } from "./memory.ts";

// Phase 1 over the texts of a project: which of them are configurations, modules, values of variables, and which belong to other tools.

/** A source: its name in diagnostics and modules, and its text. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** Found in a folder: it is left out when it belongs to another tool. */
  readonly searched?: boolean;
  /** False for bytes that are no text of ours, which was reported: it is shown, and not read. */
  readonly valid?: boolean;
}

/** The texts of a project: configurations, modules, and the values of variables. */
export interface Texts {
  readonly configs: readonly SourceText[];
  readonly modules?: readonly SourceText[];
  readonly variables?: readonly SourceText[];
}

/** The documents of a project, in the order of their names; those of variables in the order in which they count, the last one most. */
interface Documents {
  readonly configs: readonly Document[];
  /** Modules, wherever they were found. */
  readonly shared: readonly Document[];
  /** Names of the files whose texts cannot be read: a module may be meant. */
  readonly unread: readonly string[];
  readonly values: readonly Document[];
  /** Names of the files that belong to other tools. */
  readonly skipped: readonly string[];
}

export function documentsOf({ configs, modules = [], variables = [] }: Texts, memory: Memory, report: Report): Documents {
  const values = documents(variables, memory, report);
  for (const document of values) checkVariables(document, report);
  const own = ownDocuments(configs, memory, report);
  const others = documents(byName(modules), memory, report);
  const readable = new Set([...own.map(({ document }) => document), ...others].map(({ file }) => file));
  const unread = [...configs, ...modules].flatMap(({ file }) => (readable.has(file) ? [] : [file]));
  return { ...sorted(own, others, report), unread, values };
}

function readOnce({ file, text, valid = true }: SourceText, memory: Memory, report: Report): Document | undefined {
  if (!valid) return undefined;
  return memory.result({ step: "read", file, given: [text], asks: {}, make: (_, tell) => read(text, file, tell) }, report);
}

function documents(texts: readonly SourceText[], memory: Memory, report: Report): Document[] {
  return texts.flatMap((source) => readOnce(source, memory, report) ?? []);
}

const byName = (texts: readonly SourceText[]): readonly SourceText[] => [...texts].sort((a, b) => compareNames(a.file, b.file));

/** A document of the searched folders, with its mistakes held back until it is known to be ours. */
interface SearchedDocument {
  readonly document: Document;
  readonly isForeign: boolean;
  /** The modules that it names. */
  readonly handles: ReadonlySet<string>;
  readonly held: readonly Reported[];
}

function ownDocuments(texts: readonly SourceText[], memory: Memory, report: Report): SearchedDocument[] {
  return byName(texts).flatMap((source) => {
    const held: Reported[] = [];
    const document = readOnce(source, memory, (...one) => void held.push(one));
    if (document === undefined) {
      for (const one of held) report(...one);
      return [];
    }
    const { file, root } = document;
    const handles = memory.result({ step: "handles", file, given: [document], asks: {}, make: () => namedModules(root) }, report);
    return [{ document, isForeign: source.searched === true && isForeign(root), handles, held }];
  });
}

/** A file beside the configs that has no interfaces, but is named by one as a module, is a module, too. */
function sorted(found: readonly SearchedDocument[], modules: readonly Document[], report: Report): Omit<Documents, "values" | "unread"> {
  const moduleNames = new Set(found.flatMap(({ handles }) => [...handles]));
  const isModule = ({ document: { root, file } }: SearchedDocument): boolean => !hasInterfaces(root) && moduleNames.has(handleOf(file));
  const shared = [...modules, ...found.filter(isModule).map(({ document }) => document)];
  const configs = found.filter((each) => !isModule(each) && !each.isForeign).map(({ document }) => document);
  const skipped = found.filter((each) => !isModule(each) && each.isForeign).map(({ document }) => document.file);
  for (const { document, held } of found) if (!skipped.includes(document.file)) for (const one of held) report(...one);
  return { configs, shared, skipped };
}

/** A file of managed variables that is no map (PW114), and values that are not sealed although their names say so (spec/surfaces 11). */
function checkVariables({ root }: Document, report: Report): void {
  if (root.kind !== "map" && plain(root) !== null)
    report(
      shape.wrongType("variables", "a map of names to values", typeOfNode(root), { hint: "each line is written NAME: value" }),
      root.span,
    );
  for (const { key, keySpan, value } of entriesOf(root)) {
    const isSealed = entriesOf(value).some((entry) => entry.key === "sealed");
    if (key.startsWith("ENCRYPTED_") && !isSealed) report(names.unsealedVariable(key), keySpan);
  }
}

/** Managed variables that a file seals. */
export const sealedNames = (files: readonly Document[]): ReadonlySet<string> =>
  new Set(files.flatMap(({ root }) => entriesOf(root).flatMap(({ key, value }) => (get(value, "sealed") === undefined ? [] : [key]))));

/** Shows the names alone of a file of managed variables, and nothing of one that does not parse. */
export function shownKeys({ file, text }: SourceText, parsed: readonly Document[]): [string, string] {
  const root = parsed.find((document) => document.file === file)?.root;
  const keys = entriesOf(root).map(({ keySpan: { start, end } }) => ({ start, end: text[end] === ":" ? end + 1 : end }));
  return [file, hide(text, allBut(keys, text.length))];
}
