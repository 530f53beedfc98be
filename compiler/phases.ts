import { type Document, entriesOf, get } from "./1-read/document.ts";
import type { Included } from "./1-read/files.ts";
import { read } from "./1-read/index.ts";
import { compareNames } from "./1-read/order.ts";
import { isForeign } from "./2-check/foreign.ts";
import { check } from "./2-check/index.ts";
import { gatherModules, handleOf, hasInterfaces, namedModules, splice } from "./2-check/modules.ts";
import { type Checked, resolve } from "./3-resolve/index.ts";
import type { ResolvedConfig } from "./3-resolve/resolved.ts";
import { plan } from "./4-plan/index.ts";
import type { WantedVariable } from "./4-plan/markers/scope.ts";
import { type AnalysedPlan, analyse, type DescribedQueries, type Noted, Notes, type Watch } from "./5-analyse/index.ts";
import { catalogue } from "./6-print/catalogue.ts";
import { contractTypes } from "./6-print/contract.ts";
import { type Catalogue, type PrintedModule, print } from "./6-print/index.ts";
import type { Locate } from "./6-print/map.ts";
import { names } from "./diagnostics/codes/names.ts";
import { transforms } from "./diagnostics/codes/transforms.ts";
import { type Collector, collector } from "./diagnostics/collect.ts";
import { byPlace, type Diagnostic, type Report } from "./diagnostics/diagnostic.ts";
import { allBut, hide } from "./diagnostics/hide.ts";
import { type Sources, sources } from "./diagnostics/position.ts";
import { silenced } from "./diagnostics/silence.ts";
import type { Asking } from "./environment.ts";

// Phases 1 to 6 over texts, without a disk or anything else of Node: `pipeline.ts` calls them in a process, the playground in a browser.

/** The result of phases 1 to 5: all mistakes of all files, and the plans of all that is right. */
export interface Planned {
  readonly plans: readonly AnalysedPlan[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: Sources;
  readonly failed: boolean;
  /** Paths of the files beside configs that were asked for, there or not. */
  readonly included: readonly string[];
  /** Names of the files in searched folders that belong to other tools. */
  readonly skipped: readonly string[];
}

/** A source: its name in diagnostics and modules, and its text. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** Found in a folder: it is left out when it belongs to another tool. */
  readonly searched?: boolean;
}

/** Reads a file beside a config, which is named as in diagnostics. */
export type ReadIncluded = (config: string, path: string) => Included;

/** Texts that are at hand have no files beside them. */
export const nothing: ReadIncluded = () => ({ problem: "not readable" });

/** Questions of the phases that depend on the machine: a process of Node answers all of them, a browser fewer. */
export interface Outside {
  /** Why jq refuses a filter; undefined when it takes it. Without it filters are read by our own parser alone. */
  readonly refusal?: (text: string, names: number) => string | undefined;
  readonly include?: ReadIncluded;
  /** Holds configurations against the values of an environment, as its files give them. */
  readonly compare?: (all: readonly Asking[], values: readonly Document[], report: Report) => void;
  /** Answers of servers of databases about queries. */
  readonly described?: DescribedQueries | undefined;
  /** Findings of earlier looks at the same project. With them nothing is planned of what has not changed, so that there are no plans. */
  readonly earlier?: Earlier | undefined;
}

/** The findings of phases 4 and 5 about a configuration, or about a part of it that has one interface. */
export interface PartFindings {
  readonly planned: readonly Reported[];
  readonly analysed: readonly Reported[];
  readonly noted: readonly Noted[];
}

export type { Noted };
export type Reported = Parameters<Report>;

/** Plans and analyses a part, with the files beside it as `include` gives them. */
export type FindIn = (part: ResolvedConfig, include: (path: string) => Included) => PartFindings;

/** Answers as the phases would, from earlier looks where a text or an interface has not changed. */
export interface Earlier {
  readonly read: typeof read;
  /** The parts of a configuration, whose findings together are its own; `sealed` are the managed variables that a file seals. */
  readonly partsOf: (
    config: ResolvedConfig,
    sealed: ReadonlySet<string>,
    include: (path: string) => Included,
    findIn: FindIn,
  ) => readonly PartFindings[];
}

/** The texts of a project: configurations, modules, and the values of variables. */
export interface Texts {
  readonly configs: readonly SourceText[];
  readonly modules?: readonly SourceText[];
  readonly variables?: readonly SourceText[];
}

/** Phases 1 to 5 over texts that are at hand; they read nothing else. */
export function planIn({ configs: texts, modules = [], variables = [] }: Texts, outside: Outside, collected = collector()): Planned {
  const reader: typeof read = (...of) => (outside.earlier === undefined ? read(...of) : outside.earlier.read(...of));
  const values = documents(variables, reader, collected.report);
  for (const document of values) checkVariables(document, collected.report);
  const { configs, shared, skipped } = sorted(ownDocuments(texts, reader, collected.report), documents(modules, reader, collected.report));
  const sharedModules = gatherModules(shared, collected.report);
  const checked = configs.map((document): Checked => {
    const whole = { ...document, root: splice(document.root, sharedModules, collected.report) };
    return { document: whole, root: check(whole, collected.report) };
  });
  const resolved = resolve(checked, collected.report);
  const sealed = sealedNames(values);
  const plans =
    outside.earlier === undefined
      ? plansOf(resolved, { values, sealed, texts }, outside, collected)
      : findAgain(resolved, sealed, outside.earlier, outside, collected);
  const secrets = Map.groupBy(collected.placesOf(transforms.literalSecret.code), ({ file }) => file);
  const shown = ({ file, text }: SourceText): [string, string] => [file, hide(text, secrets.get(file) ?? [])];
  return {
    plans,
    diagnostics: silenced(collected.diagnostics(), new Map([...texts, ...modules].map(({ file, text }) => [file, text]))).toSorted(byPlace),
    sources: sources(new Map([...[...texts, ...modules].map(shown), ...variables.map((file) => shownKeys(file, values))])),
    failed: collected.hasErrors(),
    included: [],
    skipped,
  };
}

/** Phases 4 and 5 over all configurations. */
function plansOf(
  resolved: readonly ResolvedConfig[],
  {
    values,
    sealed,
    texts,
  }: { readonly values: readonly Document[]; readonly sealed: ReadonlySet<string>; readonly texts: Texts["configs"] },
  { refusal, include = nothing, compare, described }: Outside,
  collected: Collector,
): readonly AnalysedPlan[] {
  const asking = resolved.map((config) => {
    const variablesRead: WantedVariable[] = [];
    const outside = { ...(refusal && { refusal }), include: (path: string) => include(config.document.file, path) };
    return { plan: plan(config, collected.report, outside, variablesRead), wanted: variablesRead };
  });
  compare?.(asking, values, collected.report);
  const note = new Notes();
  const plans = asking.map(({ plan: each }) => {
    // A plan that lacks parts which were mistakes says nothing of what it reads.
    return analyse(each, collected.report, {
      sealed,
      ...(collected.hasErrors(each.file) ? {} : { note }),
      ...(described && { described }),
    });
  });
  note.tell(collected.report);
  described?.tell(collected.report, (file) => texts.find((each) => each.file === file)?.text ?? "");
  return plans;
}

/** Reports what `plansOf` would, part by part in the same order, and gives no plans. */
function findAgain(
  resolved: readonly ResolvedConfig[],
  sealed: ReadonlySet<string>,
  earlier: Earlier,
  { refusal, include = nothing }: Outside,
  collected: Collector,
): readonly AnalysedPlan[] {
  const findIn: FindIn = (part, beside) => {
    const [planned, analysed]: [Reported[], Reported[]] = [[], []];
    const note = new Notes();
    const lowered = plan(part, (...one) => void planned.push(one), { ...(refusal && { refusal }), include: beside });
    analyse(lowered, (...one) => void analysed.push(one), { sealed, note });
    return { planned, analysed, noted: note.noted };
  };
  const all = resolved.map((config) => {
    const { file } = config.document;
    return { file, parts: earlier.partsOf(config, sealed, (path) => include(file, path), findIn) };
  });
  for (const { parts } of all) for (const one of parts.flatMap(({ planned }) => planned)) collected.report(...one);
  const note = new Notes();
  for (const { file, parts } of all) {
    const isBroken = collected.hasErrors(file);
    for (const one of parts.flatMap(({ analysed }) => analysed)) collected.report(...one);
    if (!isBroken) for (const { noted } of parts) note.add(noted);
  }
  note.tell(collected.report);
  return [];
}

/**
 * Phases 2 to 5 over the tree of one file that somebody is writing, for editors: whatever can be known of it. Nothing is reported; `watch`
 * is told what is known of each reading.
 */
export function planQuietly(
  document: Document,
  modules: readonly Document[],
  include: (path: string) => Included,
  watch: Watch,
): AnalysedPlan | undefined {
  const quiet: Report = () => undefined;
  const whole = { ...document, root: splice(document.root, gatherModules(modules, quiet), quiet) };
  const [config] = resolve([{ document: whole, root: check(whole, quiet) }], quiet);
  return config === undefined ? undefined : analyse(plan(config, quiet, { include }), quiet, { watch });
}

/** Values of managed variables that are not sealed although their names say so (spec/surfaces 11). */
function checkVariables({ root }: Document, report: Report): void {
  for (const { key, keySpan, value } of entriesOf(root)) {
    const isSealed = entriesOf(value).some((entry) => entry.key === "sealed");
    if (key.startsWith("ENCRYPTED_") && !isSealed) report(names.unsealedVariable(key), keySpan);
  }
}

/** Managed variables that a file seals. */
const sealedNames = (files: readonly Document[]): ReadonlySet<string> =>
  new Set(files.flatMap(({ root }) => entriesOf(root).flatMap(({ key, value }) => (get(value, "sealed") === undefined ? [] : [key]))));

/** Shows the names alone of a file of managed variables, and nothing of one that does not parse. */
function shownKeys({ file, text }: SourceText, parsed: readonly Document[]): [string, string] {
  const root = parsed.find((document) => document.file === file)?.root;
  const keys = entriesOf(root).map(({ keySpan: { start, end } }) => ({ start, end: text[end] === ":" ? end + 1 : end }));
  return [file, hide(text, allBut(keys, text.length))];
}

function documents(texts: readonly SourceText[], reader: typeof read, report: Report): Document[] {
  const ordered = [...texts].sort((a, b) => compareNames(a.file, b.file));
  return ordered.flatMap(({ file, text }) => reader(text, file, report) ?? []);
}

/** A document of the searched folders, with its mistakes held back until it is known to be ours. */
interface SearchedDocument extends Document {
  readonly isForeign: boolean;
  readonly tell: () => void;
}

function ownDocuments(texts: readonly SourceText[], reader: typeof read, report: Report): SearchedDocument[] {
  const ordered = [...texts].sort((a, b) => compareNames(a.file, b.file));
  return ordered.flatMap(({ file, text, searched }) => {
    const held: Parameters<Report>[] = [];
    const tell = (): void => {
      for (const one of held.splice(0)) report(...one);
    };
    const document = reader(text, file, (...one) => void held.push(one));
    if (document !== undefined) return [{ ...document, isForeign: searched === true && isForeign(document.root), tell }];
    tell();
    return [];
  });
}

interface Sorted {
  readonly configs: Document[];
  readonly shared: Document[];
  /** Names of the files that belong to other tools. */
  readonly skipped: readonly string[];
}

/** A file beside the configs that has no interfaces, but is named by one as a module, is a module, too. */
function sorted(found: readonly SearchedDocument[], modules: readonly Document[]): Sorted {
  const moduleNames = new Set(found.flatMap(({ root }) => [...namedModules(root)]));
  const isModule = ({ root, file }: Document): boolean => !hasInterfaces(root) && moduleNames.has(handleOf(file));
  const shared = [...modules, ...found.filter(isModule)];
  const configs = found.filter((each) => !isModule(each) && !each.isForeign);
  const skipped = found.filter((each) => !isModule(each) && each.isForeign).map(({ file }) => file);
  for (const { file, tell } of found) if (!skipped.includes(file)) tell();
  return { configs, shared, skipped };
}

/**
 * Phase 6. Call it only when nothing failed. `native` judges which patterns JavaScript may run; `interpret` walks every interface, as if
 * each said `disable_fastpath: true`.
 */
export function printIn(
  { plans, sources }: Pick<Planned, "plans" | "sources">,
  native: Catalogue["native"],
  { interpret = false } = {},
): readonly PrintedModule[] {
  const modules: PrintedModule[] = [];
  const features: Catalogue = { ...catalogue, native };
  for (const each of plans) {
    const chosen = interpret ? { ...each, interfaces: each.interfaces.map((target) => ({ ...target, disable_fastpath: true })) } : each;
    const contracts = contractTypes(chosen.interfaces);
    const locate: Locate = ({ file, start }) => {
      const { line, column } = sources.lines(file).at(start);
      return { line, column: column - 1 };
    };
    modules.push(print(chosen, features, locate, contracts));
  }
  return modules;
}
