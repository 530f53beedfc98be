import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSettings, UsageError } from "#runtime/process/settings/options.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import { visible } from "#runtime/value/visible.ts";
import { findConfigs } from "../1-read/files.ts";
import { loadLive } from "../7-link/live.ts";
import { writeWhole } from "../7-link/write.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import { type BenchSettings, openBench } from "../testing/bench.ts";
import { jsonReport, junitReport } from "../testing/report-files.ts";
import { paint, textReport } from "../testing/report-text.ts";
import { type CaseResult, runCases } from "../testing/run-suite.ts";
import { filtered, readSuite, type Suite } from "../testing/suite.ts";
import { progressOn } from "./progress.ts";
import { askedEnvironment, besides, failed, planProject, refuseEnvironment, status, type Terminal } from "./project.ts";

export interface TestFlags {
  readonly env?: string;
  readonly filter?: string;
  readonly format: "text" | "json" | "junit";
  readonly out?: string;
  readonly quiet?: boolean;
}

/** Runs the contract tests beside the configurations, and their examples (spec/command-line 6); 1 when one has failed. */
export async function test(paths: readonly string[], flags: TestFlags, terminal: Terminal): Promise<number> {
  const began = performance.now();
  const environment = environmentOfTests(paths, flags, terminal);
  refuseEnvironment(environment);
  using progress = progressOn(terminal, { quiet: flags.quiet === true || terminal.isLive !== true });
  progress.step("compile", paths.join(", "));
  const planned = planProject(paths, terminal, environment);
  if (failed(planned, terminal)) return status.failed;
  const suite = readSuite(planned, paths, configsByPath(paths, terminal), terminal.cwd);
  if (refused(suite, terminal)) return status.failed;
  const cases = filtered(suite.cases, flags.filter);
  if (cases.length === 0) throw new UsageError(nothingToRun(suite, flags));
  const settings = await settingsOf(paths, environment, terminal);
  const live = await loadLive(terminal.cwd);
  const threads = live.trials().openThreads();
  try {
    const bench = await openBench(live, { plans: [...planned.plans, ...suite.judges], sources: suite.sources }, threads);
    progress.step("test", `${cases.length} ${cases.length === 1 ? "test" : "tests"}`);
    const results = await runCases(cases, bench, settings);
    progress.done();
    say(results, suite, flags, terminal, performance.now() - began);
    return results.some(({ outcome }) => outcome === "failed") ? status.failed : status.done;
  } finally {
    await threads.of.close();
  }
}

/** The environment that was asked for; else `test`, where it has variables of its own, else `development`. */
function environmentOfTests(paths: readonly string[], flags: TestFlags, terminal: Terminal): string {
  const asked = askedEnvironment(flags, terminal);
  if (asked !== undefined) return asked;
  const hasOwn = paths.some((path) => existsSync(join(resolve(terminal.cwd, path), "vars", "test.yaml")));
  return hasOwn ? "test" : "development";
}

const configsByPath = (paths: readonly string[], { cwd }: Terminal): ReadonlyMap<string, string> =>
  new Map(findConfigs(paths, cwd).map(({ path, file }) => [path, file]));

/** Shows what is wrong with files of tests; true when they cannot be run. */
function refused({ diagnostics, failed, sources }: Suite, terminal: Terminal): boolean {
  const shown = failed ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  if (shown.length > 0) terminal.err(renderFrames(shown, sources, { color: terminal.colors.err }));
  return failed;
}

function nothingToRun({ cases }: Suite, { filter }: TestFlags): string {
  if (filter !== undefined && cases.length > 0) return `no test has '${filter}' in its name, file or interface; there are ${cases.length} tests`;
  return "there are no tests: write NAME.test.yaml beside NAME.yaml, or an example under accepts";
}

/** Managed variables of the environment. Nothing else of this machine reaches a test. */
async function settingsOf(paths: readonly string[], environment: string, terminal: Terminal): Promise<BenchSettings> {
  const { env } = terminal;
  const keys = ["PIPEWRIGHT_MASTER_KEY", "PIPEWRIGHT_VARS"].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const settings = await readSettings({ env: environment, besides: besides(paths, environment, terminal.cwd) }, Object.fromEntries(keys));
  if (settings.unmet.length > 0) throw new Unmet(settings.unmet);
  return { environment, variables: settings.variables };
}

/** Prints the report, or writes it to a file beside a report for people. */
function say(results: readonly CaseResult[], { sources }: Suite, { format, out }: TestFlags, terminal: Terminal, ms: number): void {
  const colored = out === undefined || format !== "text" ? terminal.colors.out : false;
  const forPeople = textReport(results, sources, paint(colored), ms);
  const report = { text: () => forPeople, json: () => jsonReport(results, sources, ms), junit: () => junitReport(results, sources, ms) }[format]();
  if (out === undefined) {
    terminal.out(format === "json" ? visible(report) : report);
    return;
  }
  writeWhole(resolve(terminal.cwd, out), report);
  if (format !== "text") terminal.out(forPeople);
}

