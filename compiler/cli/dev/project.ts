import type { ConsoleFacts } from "#runtime/console/facts.ts";
import { PathError } from "../../1-read/path-error.ts";
import type { PrintedModule } from "../../6-print/index.ts";
import { consoleFacts } from "../../console/facts.ts";
import { transforms } from "../../diagnostics/codes/transforms.ts";
import { codeFrame, renderFrames } from "../../diagnostics/frame.ts";
import { jsonReport } from "../../diagnostics/json.ts";
import { documentOf, type Planned, printAll } from "../../pipeline.ts";
import { type DocsFlags, documentOptions } from "../docs-flags.ts";
import { planPaths, type Terminal } from "../project.ts";
import { type Answers, answersOf, enforcedSchemas } from "./answers.ts";
import { type ApplyFix, fixesOf } from "./fixes.ts";
import type { DevDiagnostic } from "./page.ts";

/** A project that could be compiled. */
export interface Compiled {
  readonly modules: readonly PrintedModule[];
  /** Configurations whose modules hold a secret as text: these modules are not shown. */
  readonly sealed: ReadonlySet<string>;
  readonly docs: string | undefined;
  /** Where an interface of a configuration stands, as `file:line`. */
  readonly placeOf: (config: string, target: string) => string | undefined;
  /** Compares the answers of interfaces with their schemas. */
  readonly answers: Answers;
  /** The facts of the console, made when it is first asked for. */
  readonly facts: () => ConsoleFacts;
  /** Two versions with equal texts are the same version. */
  readonly identity: string;
}

/** The result of a look at the project. */
export interface Attempt {
  readonly compiled: Compiled | undefined;
  /** The mistakes, for people; empty when there are none. */
  readonly text: string;
  readonly diagnostics: readonly DevDiagnostic[];
  readonly included: readonly string[];
  /** Writes the fix of one of the diagnostics. */
  readonly fix: ApplyFix;
}

export interface ProjectFlags extends DocsFlags {
  readonly interpret?: boolean;
}

/** Compiles what is on the disk now. A path that is gone is a mistake like any other: it may come back. */
export async function attempt(paths: readonly string[], environment: string, flags: ProjectFlags, terminal: Terminal): Promise<Attempt> {
  try {
    const planned = planPaths(paths, terminal.cwd, environment);
    const summary = report(planned, terminal);
    const fix = fixesOf(planned.diagnostics, planned.sources, terminal.cwd);
    return { ...summary, fix, compiled: planned.failed ? undefined : await compiledOf(planned, flags) };
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return { compiled: undefined, text: `${error.message}\n`, diagnostics: [], included: [], fix: () => "there is no such fix any more" };
  }
}

async function compiledOf(planned: Planned, flags: ProjectFlags): Promise<Compiled> {
  const modules = await printAll(planned, { interpret: flags.interpret === true });
  const docs = documentOf(planned, documentOptions(flags));
  const identity = JSON.stringify([docs, enforcedSchemas(planned), modules.map(({ file, code, map }) => [file, code, map])]);
  const { sources, plans } = planned;
  let facts: ConsoleFacts | undefined;
  return {
    modules,
    sealed: new Set(planned.diagnostics.flatMap(({ code, at }) => (code === transforms.literalSecret.code ? [at.file] : []))),
    docs,
    placeOf: placesOf(planned),
    answers: answersOf(planned),
    identity,
    facts: () => {
      facts ??= consoleFacts({ plans, sources, diagnostics: planned.diagnostics, modules });
      return facts;
    },
  };
}

function placesOf({ plans, sources }: Planned): Compiled["placeOf"] {
  return (config, target) => {
    const at = plans.find(({ name }) => name === config)?.interfaces.find(({ name }) => name === target)?.at;
    return at === undefined ? undefined : `${at.file}:${sources.lines(at.file).at(at.start).line}`;
  };
}

function report({ diagnostics, sources, failed, included }: Planned, { colors }: Terminal): Omit<Attempt, "compiled" | "fix"> {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const text = renderFrames(failed ? errors : diagnostics, sources, { color: colors.err });
  const items = jsonReport(diagnostics, sources).diagnostics;
  const frames = diagnostics.map((one) => codeFrame(one, sources));
  return { text, diagnostics: items.map((one, i) => ({ ...one, frame: frames[i] ?? "" })), included };
}
