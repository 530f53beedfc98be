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

// This file applies phase 1 to the texts of a project, and tells configurations, modules, values of variables, and files of other tools
// apart.

/** A source file: its name in diagnostics and modules, and its text. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** True for a file that was found in a folder; it is left out when it belongs to another tool. */
  readonly searched?: boolean;
  /** False for a text with a wrong encoding, which was reported. It is shown in diagnostics, but not parsed. */
  readonly valid?: boolean;
}

/** The texts of a project: configurations, modules, and the values of variables. */
export interface Texts {
  readonly configs: readonly SourceText[];
  readonly modules?: readonly SourceText[];
  readonly variables?: readonly SourceText[];
}

/** The documents of a project, in the order of their names; files of variables are in the order in which later ones win. */
interface Documents {
  readonly configs: readonly Document[];
  /** All modules, found in any folder. */
  readonly shared: readonly Document[];
  /** Names of the files that cannot be parsed; any of them may be a module. */
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

/** A document of the searched folders. Its mistakes are held back until it is known that the file belongs to pipewright. */
interface SearchedDocument {
  readonly document: Document;
  readonly isForeign: boolean;
  /** The handles of the modules that the document names. */
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

/** Sorts the documents. A file beside the configs without interfaces is a module, too, if a config names it as a module. */
function sorted(found: readonly SearchedDocument[], modules: readonly Document[], report: Report): Omit<Documents, "values" | "unread"> {
  const moduleNames = new Set(found.flatMap(({ handles }) => [...handles]));
  const isModule = ({ document: { root, file } }: SearchedDocument): boolean => !hasInterfaces(root) && moduleNames.has(handleOf(file));
  const shared = [...modules, ...found.filter(isModule).map(({ document }) => document)];
  const configs = found.filter((each) => !isModule(each) && !each.isForeign).map(({ document }) => document);
  const skipped = found.filter((each) => !isModule(each) && each.isForeign).map(({ document }) => document.file);
  for (const { document, held } of found) if (!skipped.includes(document.file)) for (const one of held) report(...one);
  return { configs, shared, skipped };
}

/**
 * Reports a file of managed variables that is no map (PW114), and unsealed values whose names begin with `ENCRYPTED_` (spec/surfaces 11).
 */
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

/** The names of managed variables that are sealed in one of the files. */
export const sealedNames = (files: readonly Document[]): ReadonlySet<string> =>
  new Set(files.flatMap(({ root }) => entriesOf(root).flatMap(({ key, value }) => (get(value, "sealed") === undefined ? [] : [key]))));

/** A file of managed variables for frames, in which only the names are visible. A file that does not parse is hidden completely. */
export function shownKeys({ file, text }: SourceText, parsed: readonly Document[]): [string, string] {
  const root = parsed.find((document) => document.file === file)?.root;
  const keys = entriesOf(root).map(({ keySpan: { start, end } }) => ({ start, end: text[end] === ":" ? end + 1 : end }));
  return [file, hide(text, allBut(keys, text.length))];
}
