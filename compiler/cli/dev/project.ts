import type { ConsoleFacts } from "#runtime/console/facts.ts";
import { PathError } from "../../1-read/path-error.ts";
import type { PrintedModule } from "../../6-print/index.ts";
import { consoleFacts } from "../../console/facts.ts";
import { transforms } from "../../diagnostics/codes/transforms.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { codeFrame, renderFrame, summary } from "../../diagnostics/frame.ts";
import { jsonReport } from "../../diagnostics/json.ts";
import type { Memory } from "../../memory.ts";
import { documentOf, type Planned, printAll } from "../../pipeline.ts";
import { type DocsFlags, documentOptions } from "../docs-flags.ts";
import { planPaths, type Terminal } from "../project.ts";
import { type Answers, answersOf, enforcedSchemas } from "./answers.ts";
import { type ApplyFix, fixesOf } from "./fixes.ts";
import { once } from "./once.ts";
import type { DevDiagnostic } from "./page.ts";

/** A project that could be compiled. */
export interface Compiled {
  readonly modules: readonly PrintedModule[];
  /** Configurations whose modules hold a secret as text: these modules are not shown. */
  readonly sealed: ReadonlySet<string>;
  /** The API document. It is made at its first use, so that no save waits for it. */
  readonly docs: (() => string) | undefined;
  /** The place of an interface of a configuration, as `file:line`. */
  readonly placeOf: (config: string, target: string) => string | undefined;
  /** Compares the answers of interfaces with their schemas. */
  readonly answers: Answers;
  /** The facts of the console, made at their first use. */
  readonly facts: () => ConsoleFacts;
  /** The schemas with which answers are compared, as JSON. */
  readonly enforced: string;
}

/** Two versions with the same texts are the same version. */
export const isSameVersion = (one: Compiled, other: Compiled): boolean =>
  one.enforced === other.enforced &&
  one.modules.length === other.modules.length &&
  one.modules.every(({ file, code, map }, i) => {
    const twin = other.modules[i];
    return twin !== undefined && file === twin.file && code === twin.code && map === twin.map;
  }) &&
  one.docs?.() === other.docs?.();

/** The result of compiling the project. */
export interface Look {
  readonly compiled: Compiled | undefined;
  /** The mistakes as text for the terminal; empty when there are none. */
  readonly text: string;
  readonly diagnostics: readonly DevDiagnostic[];
  readonly included: readonly string[];
  /** Writes the fix of one of the diagnostics. */
  readonly fix: ApplyFix;
}

export interface LookOptions extends DocsFlags {
  readonly environment: string;
  readonly interpret?: boolean;
  /** The kept results of the attempt before. */
  readonly memory: Memory;
}

/** Compiles the files that are on the disk now. A missing path is reported like any other mistake, because it may come back. */
export async function attempt(paths: readonly string[], options: LookOptions, terminal: Terminal): Promise<Look> {
  try {
    const planned = planPaths(paths, terminal.cwd, options.environment, { memory: options.memory });
    const words = report(planned, terminal, options.memory);
    const fix = fixesOf(planned.diagnostics, planned.sources, terminal.cwd);
    return { ...words, fix, compiled: planned.failed ? undefined : await compiledOf(planned, options) };
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return { compiled: undefined, text: `${error.message}\n`, diagnostics: [], included: [], fix: () => "there is no such fix any more" };
  }
}

async function compiledOf(planned: Planned, { interpret = false, memory, ...flags }: LookOptions): Promise<Compiled> {
  const modules = await printAll(planned, { interpret, memory });
  const { sources, plans } = planned;
  const heading = documentOptions(flags);
  return {
    modules,
    sealed: new Set(planned.diagnostics.flatMap(({ code, at }) => (code === transforms.literalSecret.code ? [at.file] : []))),
    docs: plans.some(({ docs }) => docs !== undefined) ? once(() => documentOf(planned, heading) ?? "") : undefined,
    placeOf: placesOf(planned),
    answers: answersOf(planned, memory),
    enforced: JSON.stringify(enforcedSchemas(planned)),
    facts: once(() => consoleFacts({ plans, sources, diagnostics: planned.diagnostics, modules })),
  };
}

function placesOf({ plans, sources }: Planned): Compiled["placeOf"] {
  const places = new Map(plans.map(({ name, interfaces }) => [name, new Map(interfaces.map((each) => [each.name, each.at]))]));
  return (config, target) => {
    const at = places.get(config)?.get(target);
    return at === undefined ? undefined : `${at.file}:${sources.lines(at.file).at(at.start).line}`;
  };
}

/** The texts about one file: for the terminal, without the summary line, and for the page. */
interface Words {
  readonly text: string;
  readonly diagnostics: readonly DevDiagnostic[];
}

function report({ diagnostics, sources, failed, included }: Planned, { colors }: Terminal, memory: Memory): Omit<Look, "compiled" | "fix"> {
  const isShown = ({ severity }: Diagnostic): boolean => !failed || severity === "error";
  const words = [...Map.groupBy(diagnostics, ({ at }) => at.file)].map(([file, all]) => {
    const make = (): Words => {
      const frames = all.filter(isShown).map((one) => `${renderFrame(one, sources, { color: colors.err })}\n`);
      const items = jsonReport(all, sources).diagnostics;
      return {
        text: frames.join(""),
        diagnostics: items.map((one, i) => ({ ...one, frame: all[i] === undefined ? "" : codeFrame(all[i], sources) })),
      };
    };
    const files = [file, ...all.flatMap(({ related = [] }) => related.map(({ at }) => at.file))];
    const inputs = [failed, JSON.stringify(all), ...files.map((each) => sources.lines(each))];
    return memory.result({ step: "say", file, given: inputs, asks: {}, make }, () => undefined);
  });
  const shown = diagnostics.filter(isShown);
  const text = shown.length === 0 ? "" : `${words.map((each) => each.text).join("")}${summary(shown)}\n`;
  return { text, diagnostics: words.flatMap((each) => each.diagnostics), included };
}
