import type { Document } from "./1-read/document.ts";
import type { Included } from "./1-read/files.ts";
import { check } from "./2-check/index.ts";
import { withUses } from "./2-check/module-uses.ts";
import { type FindModule, gatherModules, splice } from "./2-check/modules.ts";
import { type Checked, checkTogether, resolve } from "./3-resolve/index.ts";
import type { ResolvedConfig } from "./3-resolve/resolved.ts";
import { plan } from "./4-plan/index.ts";
import type { WantedVariable } from "./4-plan/markers/scope.ts";
import { type AnalysedPlan, analyse, type DescribedQueries, type Noted, Notes, type Watch } from "./5-analyse/index.ts";
import { catalogue } from "./6-print/catalogue.ts";
import { contractTypes } from "./6-print/contract.ts";
import { type Catalogue, type PrintedModule, print } from "./6-print/index.ts";
import type { Locate } from "./6-print/map.ts";
import { transforms } from "./diagnostics/codes/transforms.ts";
import { type Collector, collector } from "./diagnostics/collect.ts";
import { byPlace, type Diagnostic, type Report } from "./diagnostics/diagnostic.ts";
import { hide } from "./diagnostics/hide.ts";
import { type LineTable, lineTable, type Sources, sources } from "./diagnostics/position.ts";
import { silenced } from "./diagnostics/silence.ts";
import { documentsOf, type SourceText, sealedNames, shownKeys, type Texts } from "./documents.ts";
import type { Asking } from "./environment.ts";
import { forgetful, type Memory, type Reported } from "./memory.ts";

// This file runs phases 1 to 6 over texts, without a disk or other parts of Node: `pipeline.ts` calls it in a process, the playground in a
// browser. The memory keeps results for each single file. Checks across files run every time.

/** The result of phases 1 to 5: all mistakes of all files, and the plans of the parts without mistakes. */
export interface Planned {
  readonly plans: readonly AnalysedPlan[];
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: Sources;
  readonly failed: boolean;
  /** The paths of the files beside configs that were requested, also of missing ones. */
  readonly included: readonly string[];
  /** Names of the files in searched folders that belong to other tools. */
  readonly skipped: readonly string[];
}

/** Reads a file beside a config. The config has its name from diagnostics. */
export type ReadIncluded = (config: string, path: string) => Included;

/** Texts without a disk have no files beside them. */
export const nothing: ReadIncluded = () => ({ problem: "not readable" });

/** Functions of the phases that depend on the machine: a process of Node has all of them, a browser has fewer. */
export interface Outside {
  /** The reason why jq refuses a filter; undefined if it accepts it. Without this function only our own parser reads filters. */
  readonly refusal?: (text: string, names: number) => string | undefined;
  readonly include?: ReadIncluded;
  /** Compares configurations with the values of an environment from its files. */
  readonly compare?: (all: readonly Asking[], values: readonly Document[], report: Report) => void;
  /** Answers of servers of databases about queries. */
  readonly described?: DescribedQueries | undefined;
  /** The results of the analysis before, which was made with the same `described`. */
  readonly memory?: Memory | undefined;
  /** Finds the mistakes of phases 4 and 5 part by part; if it is present, there are no plans. */
  readonly findParts?: FindParts | undefined;
}

/** The findings of phases 4 and 5 about a configuration, or about a part of it with one interface. */
export interface PartFindings {
  readonly planned: readonly Reported[];
  readonly analysed: readonly Reported[];
  readonly noted: readonly Noted[];
}

export type { Noted };

/** Plans and analyses a part, with the files beside it as `include` gives them. */
export type FindIn = (part: ResolvedConfig, include: (path: string) => Included) => PartFindings;

/** The parts of a configuration. All their findings together are the findings of the configuration. */
export interface FoundParts {
  readonly parts: readonly PartFindings[];
}

/** Finds the parts of a configuration. */
export type FindParts<Found extends FoundParts = FoundParts> = (
  config: ResolvedConfig,
  around: {
    /** The managed variables that are sealed in a file. */
    readonly sealed: ReadonlySet<string>;
    readonly include: (path: string) => Included;
    readonly findIn: FindIn;
    /** The parts of the analysis before, for another text of the file. */
    readonly before: Found | undefined;
  },
) => Found;

/** Runs phases 1 to 5 over the given texts; they read nothing else. */
export function planIn(texts: Texts, outside: Outside, collected = collector()): Planned {
  const { memory = forgetful } = outside;
  const { report } = collected;
  const { configs: documents, shared, unread, values, skipped } = documentsOf(texts, memory, report);
  const moduleOf = gatherModules(shared, report, unread);
  const checked = documents.map((document) => checkOnce(document, moduleOf, memory, report));
  const configs = checked.map((each) => {
    const { file } = each.document;
    return memory.result({ step: "resolve", file, given: [each], asks: {}, make: (_, tell) => resolve(each, tell) }, report);
  });
  checkTogether(configs, report);
  const project = { configs, values, sealed: sealedNames(values), texts: texts.configs };
  const plans =
    outside.findParts === undefined ? plansOf(project, outside, collected) : findAgain(project, outside.findParts, outside, collected);
  const own = [...texts.configs, ...(texts.modules ?? [])];
  const variables = texts.variables ?? [];
  memory.keepOnly([...own, ...variables]);
  const textOf = new Map(own.map(({ file, text }) => [file, text]));
  const secrets = Map.groupBy(collected.placesOf(transforms.literalSecret.code), ({ file }) => file);
  const linesOf = (text: string, file: string): LineTable =>
    memory.result({ step: "lines", file, given: [text], asks: {}, make: () => lineTable(text) }, report);
  const shown = ({ file, text }: SourceText): [string, string] => [file, hide(text, secrets.get(file) ?? [])];
  return {
    plans,
    diagnostics: withUses(silenced(collected.diagnostics(), textOf).toSorted(byPlace), shared, documents),
    sources: sources(new Map([...own.map(shown), ...variables.map((file) => shownKeys(file, values))]), linesOf),
    failed: collected.hasErrors(),
    included: [],
    skipped,
  };
}

function checkOnce(document: Document, moduleOf: FindModule, memory: Memory, report: Report): Checked {
  const make = (asks: { readonly moduleOf: FindModule }, tell: Report): Checked => {
    const whole = { ...document, root: splice(document.root, asks.moduleOf, tell) };
    return { document: whole, root: check(whole, tell) };
  };
  return memory.result({ step: "check", file: document.file, given: [document], asks: { moduleOf }, make }, report);
}

/** A project whose names are bound. */
interface Project {
  readonly configs: readonly ResolvedConfig[];
  readonly values: readonly Document[];
  /** The managed variables that are sealed in a file. */
  readonly sealed: ReadonlySet<string>;
  readonly texts: readonly SourceText[];
}

/** Runs phases 4 and 5 over all configurations. */
function plansOf(
  { configs, values, sealed, texts }: Project,
  { refusal, include = nothing, compare, described, memory = forgetful }: Outside,
  { report, hasErrors }: Collector,
): readonly AnalysedPlan[] {
  const asking = configs.map((config): Asking => {
    const { file } = config.document;
    const asks = { ...(refusal && { refusal }), include: (path: string) => include(file, path) };
    const make = (outside: typeof asks, tell: Report): Asking => {
      const variables: WantedVariable[] = [];
      return { plan: plan(config, tell, outside, variables), wanted: variables };
    };
    return memory.result({ step: "plan", file, given: [config], asks, make }, report);
  });
  compare?.(asking, values, report);
  const notes: Reported[] = [];
  const note = new Notes();
  const sealedText = [...sealed].sort().join("\n");
  const plans = asking.map(({ plan: each }) => {
    const isBroken = hasErrors(each.file);
    const make = (_: object, tell: Report): Analysed => {
      const noted = new Notes();
      const analysed = analyse(each, tell, { sealed, note: noted, ...(described && { described }) });
      const own: Reported[] = [];
      noted.tell((...one) => void own.push(one), each.file);
      return { plan: analysed, own, others: noted.outside(each.file) };
    };
    const analysed = memory.result({ step: "analyse", file: each.file, given: [each, sealedText], asks: {}, make }, report);
    // In a plan without its mistaken parts, findings about readings would be wrong.
    if (!isBroken) {
      notes.push(...analysed.own);
      note.add(analysed.others);
    }
    return analysed.plan;
  });
  for (const one of notes) report(...one);
  note.tell(report);
  described?.tell(report, (file) => texts.find((each) => each.file === file)?.text ?? "");
  return plans;
}

interface Analysed {
  readonly plan: AnalysedPlan;
  /** The notes that are mistakes, at places in the file of the configuration, which no other configuration uses. */
  readonly own: readonly Reported[];
  /** The notes about places in modules, which are joined with the notes of other configurations. */
  readonly others: readonly Noted[];
}

/** Reports the same findings as `plansOf`, part by part in the same order, but gives no plans. */
function findAgain(
  { configs, sealed }: Project,
  find: FindParts,
  { refusal, include = nothing, memory = forgetful }: Outside,
  { report, hasErrors }: Collector,
): readonly AnalysedPlan[] {
  const sealedText = [...sealed].sort().join("\n");
  const all = configs.map((config) => {
    const { file } = config.document;
    const asks = { ...(refusal && { refusal }), include: (path: string) => include(file, path) };
    const make = (outside: typeof asks, _: Report, before: FoundParts | undefined): FoundParts => {
      const findIn: FindIn = (part, beside) => findingsOf(part, { ...outside, include: beside }, sealed);
      return find(config, { sealed, include: outside.include, findIn, before });
    };
    return { file, ...memory.result({ step: "find", file, given: [config, sealedText], asks, make }, report) };
  });
  for (const { parts } of all) for (const one of parts.flatMap(({ planned }) => planned)) report(...one);
  const note = new Notes();
  for (const { file, parts } of all) {
    const isBroken = hasErrors(file);
    for (const one of parts.flatMap(({ analysed }) => analysed)) report(...one);
    if (!isBroken) for (const { noted } of parts) note.add(noted);
  }
  note.tell(report);
  return [];
}

function findingsOf(part: ResolvedConfig, outside: Parameters<typeof plan>[2], sealed: ReadonlySet<string>): PartFindings {
  const [planned, analysed]: [Reported[], Reported[]] = [[], []];
  const note = new Notes();
  const lowered = plan(part, (...one) => void planned.push(one), outside);
  analyse(lowered, (...one) => void analysed.push(one), { sealed, note });
  return { planned, analysed, noted: note.noted };
}

/**
 * Runs phases 2 to 5 over the tree of one file that a user is editing, as far as possible. Nothing is reported; `watch` gets the facts
 * about each reading.
 */
export function planQuietly(
  document: Document,
  modules: readonly Document[],
  include: (path: string) => Included,
  watch: Watch,
): AnalysedPlan {
  const quiet: Report = () => undefined;
  const config = resolve(checkOnce(document, gatherModules(modules, quiet), forgetful, quiet), quiet);
  return analyse(plan(config, quiet, { include }), quiet, { watch });
}

/** The arguments for printing beside the plans. */
export interface Printing {
  /** True to interpret every interface, as with `disable_fastpath: true`. */
  readonly interpret?: boolean;
  readonly memory?: Memory;
}

/**
 * Runs phase 6, one module after the other. Call it only without errors. `native` decides which patterns JavaScript may run; it must always
 * give the same answer.
 */
export function* printIn(
  { plans, sources }: Pick<Planned, "plans" | "sources">,
  native: Catalogue["native"],
  { interpret = false, memory = forgetful }: Printing = {},
): Generator<PrintedModule> {
  const features: Catalogue = { ...catalogue, native };
  const locate: Locate = ({ file, start }) => {
    const { line, column } = sources.lines(file).at(start);
    return { line, column: column - 1 };
  };
  for (const each of plans) {
    const make = (): PrintedModule => {
      const chosen = interpret ? { ...each, interfaces: each.interfaces.map((target) => ({ ...target, disable_fastpath: true })) } : each;
      return print(chosen, features, locate, contractTypes(chosen.interfaces));
    };
    yield memory.result({ step: "print", file: each.file, given: [each, interpret], asks: {}, make }, () => undefined);
  }
}
