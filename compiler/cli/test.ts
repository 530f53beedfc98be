import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSettings, UsageError } from "#runtime/process/settings/options.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import { findConfigs, findTests, PathError } from "../1-read/files.ts";
import { type Live, loadLive } from "../7-link/live.ts";
import { writeWhole } from "../7-link/write.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import { type BenchSettings, openBench, type Threads } from "../testing/bench.ts";
import { Coverage } from "../testing/coverage/coverage.ts";
import { jsonReport, junitReport } from "../testing/report-files.ts";
import { paint, textReport } from "../testing/report-text.ts";
import { type CaseResult, runCases } from "../testing/run-suite.ts";
import { filtered, readSuite, type Suite } from "../testing/suite.ts";
import { update } from "../testing/update.ts";
import { followChanges } from "./dev/changes.ts";
import { progressOn } from "./progress.ts";
import { askedEnvironment, besides, failed, planProject, refuseEnvironment, status, type Terminal } from "./project.ts";
import { type CoverageFlags, leastOf, sayCoverage, wantsCoverage } from "./test-coverage.ts";

export interface TestFlags extends CoverageFlags {
  readonly env?: string;
  readonly filter?: string;
  readonly format: "text" | "json" | "junit";
  readonly out?: string;
  readonly update?: boolean;
  readonly watch?: boolean;
  readonly quiet?: boolean;
}

/** The runtime in which tests are run, loaded when there is something to run; it outlives the versions of a project. */
class Laboratory implements AsyncDisposable {
  readonly #root: string;
  #open: Promise<{ readonly live: Live; readonly threads: Threads }> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  open(): Promise<{ readonly live: Live; readonly threads: Threads }> {
    this.#open ??= loadLive(this.#root).then((live) => ({ live, threads: live.trials().openThreads() }));
    return this.#open;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#open)?.threads.of.close();
  }
}

/** Runs the contract tests beside the configurations, and their examples (spec/command-line 12); 1 when one has failed. */
export async function test(paths: readonly string[], flags: TestFlags, terminal: Terminal): Promise<number> {
  refuseEnvironment(environmentOfTests(paths, flags, terminal));
  leastOf(flags);
  await using laboratory = new Laboratory(terminal.cwd);
  return await (flags.watch === true ? follow : once)(paths, flags, terminal, laboratory);
}

async function once(paths: readonly string[], flags: TestFlags, terminal: Terminal, laboratory: Laboratory): Promise<number> {
  const began = performance.now();
  const environment = environmentOfTests(paths, flags, terminal);
  using progress = progressOn(terminal, { quiet: flags.quiet === true || terminal.isLive !== true });
  progress.step("compile", paths.join(", "));
  const planned = planProject(paths, terminal, environment);
  if (failed(planned, terminal)) return status.failed;
  const suite = readSuite(planned, paths, configsByPath(paths, terminal), terminal.cwd);
  if (refused(suite, terminal)) return status.failed;
  const cases = filtered(suite.cases, flags.filter);
  if (cases.length === 0) throw new UsageError(nothingToRun(suite, flags));
  const settings = await settingsOf(paths, environment, terminal);
  const { live, threads } = await laboratory.open();
  const bench = await openBench(live, { plans: [...planned.plans, ...suite.judges], sources: suite.sources }, threads);
  progress.step("test", `${cases.length} ${cases.length === 1 ? "test" : "tests"}`);
  const coverage = wantsCoverage(flags) ? new Coverage(planned.plans) : undefined;
  const watched =
    coverage === undefined
      ? undefined
      : { bench: await openBench(live, { ...planned, sources: suite.sources }, threads, { interpret: true }), observer: coverage };
  const results = await runCases(cases, bench, settings, watched);
  progress.done();
  if (flags.update === true) return sayUpdate(results, suite, terminal, performance.now() - began);
  say(results, suite, flags, terminal, performance.now() - began);
  const isForPeople = flags.format === "text" || flags.out !== undefined;
  const isEnough = coverage === undefined || sayCoverage(coverage.points(), suite.sources, { ...flags, isForPeople }, terminal);
  return isEnough && results.every(({ outcome }) => outcome !== "failed") ? status.done : status.failed;
}

/** Runs the tests again whenever a file of the project, or a test, has changed; until Ctrl-C. */
async function follow(paths: readonly string[], flags: TestFlags, terminal: Terminal, laboratory: Laboratory): Promise<number> {
  const ends = new AbortController();
  const end = (): void => ends.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const environment = environmentOfTests(paths, flags, terminal);
  const others = (): string[] => findTests(paths, terminal.cwd).map(({ path }) => path);
  const run = async (): Promise<void> => {
    try {
      await once(paths, flags, terminal, laboratory);
    } catch (error) {
      // A file that is gone, or no test left: it may come back.
      if (!(error instanceof UsageError || error instanceof PathError || error instanceof Unmet)) throw error;
      terminal.err(`${visible(error.message)}\n`);
    }
    terminal.err(`watching ${visibleLine(paths.join(", "))}; Ctrl-C ends\n`);
  };
  try {
    await followChanges({ paths, cwd: terminal.cwd, environment, others }, run, ends.signal);
    return status.done;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
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
  if (filter !== undefined && cases.length > 0)
    return `no test has '${filter}' in its name, file or interface; there are ${cases.length} tests`;
  return "there are no tests: write NAME.test.yaml beside NAME.yaml, or an example under accepts";
}

/** Managed variables of the environment. Nothing else of this machine reaches a test. */
async function settingsOf(paths: readonly string[], environment: string, terminal: Terminal): Promise<BenchSettings> {
  const { env } = terminal;
  const keys = ["PIPEWRIGHT_MASTER_KEY", "PIPEWRIGHT_VARS"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  const settings = await readSettings({ env: environment, besides: besides(paths, environment, terminal.cwd) }, Object.fromEntries(keys));
  if (settings.unmet.length > 0) throw new Unmet(settings.unmet);
  return { environment, variables: settings.variables };
}

/** Prints the report, or writes it to a file beside a report for people. */
function say(results: readonly CaseResult[], { sources }: Suite, { format, out }: TestFlags, terminal: Terminal, ms: number): void {
  const forPeople = (colored: boolean): string => textReport(results, sources, paint(colored), ms);
  const whole = {
    text: () => forPeople(out === undefined && terminal.colors.out),
    json: () => jsonReport(results, sources, ms),
    junit: () => junitReport(results, sources, ms),
  }[format]();
  if (out === undefined) {
    terminal.out(format === "json" ? visible(whole) : whole);
    return;
  }
  writeWhole(resolve(terminal.cwd, out), whole);
  terminal.out(forPeople(terminal.colors.out));
}

/** Says what was written, and shows the tests that are left. */
function sayUpdate(results: readonly CaseResult[], suite: Suite, terminal: Terminal, ms: number): number {
  const { files, left } = update(results, suite);
  // Its other mistakes are mended by now.
  if (left.length > 0) terminal.out(textReport(left, suite.sources, paint(terminal.colors.out), ms));
  for (const [file, count] of files) terminal.out(`${visibleLine(file)}: ${count} ${count === 1 ? "value" : "values"} written\n`);
  if (files.size === 0 && left.length === 0) terminal.out("nothing to write: every test passes\n");
  return left.length > 0 ? status.failed : status.done;
}
