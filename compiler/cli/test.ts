import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import { findTests } from "../1-read/files.ts";
import { PathError } from "../1-read/path-error.ts";
import { paint, textReport } from "../testing/report-text.ts";
import type { CaseResult } from "../testing/run-suite.ts";
import { filtered, type Suite } from "../testing/suite.ts";
import { configPaths } from "../testing/test-file.ts";
import { update } from "../testing/update.ts";
import { followChanges } from "./dev/changes.ts";
import { progressOn } from "./progress.ts";
import { refuseEnvironment, sayEnvironment, type Terminal } from "./project.ts";
import { status } from "./status.ts";
import { TestRuntime } from "./test-runtime.ts";
import { type CoverageFlags, leastOf, sayCoverage, wantsCoverage } from "./tests/coverage.ts";
import { environmentOfTests, readTested } from "./tests/project.ts";
import { type ReportFlags, sayResults } from "./tests/report.ts";
import { runTests } from "./tests/run.ts";

export interface TestFlags extends CoverageFlags, ReportFlags {
  readonly env?: string;
  readonly filter?: string;
  readonly update?: boolean;
  readonly watch?: boolean;
  readonly quiet?: boolean;
}

/** Runs the contract tests beside the configurations, and their examples (spec/command-line 12); the status is 1 when one has failed. */
export async function test(paths: readonly string[], flags: TestFlags, terminal: Terminal): Promise<number> {
  const environment = environmentOfTests(paths, flags, terminal);
  refuseEnvironment(environment);
  if (flags.quiet !== true && flags.format === "text") sayEnvironment(environment, flags, terminal);
  leastOf(flags);
  await using testRuntime = new TestRuntime(terminal);
  return await (flags.watch === true ? follow : once)(paths, flags, terminal, testRuntime);
}

/**
 * Runs the tests once beside other work. A mistake of the project is only printed, because the developer corrects it while that work goes
 * on.
 */
export async function testBeside(paths: readonly string[], flags: TestFlags, terminal: Terminal): Promise<void> {
  await using testRuntime = new TestRuntime(terminal);
  await onceOrSay(paths, flags, terminal, testRuntime);
}

async function onceOrSay(paths: readonly string[], flags: TestFlags, terminal: Terminal, testRuntime: TestRuntime): Promise<void> {
  try {
    await once(paths, flags, terminal, testRuntime);
  } catch (error) {
    // A missing file, or a project without tests, is only printed, because it may change.
    if (!(error instanceof UsageError || error instanceof PathError || error instanceof Unmet)) throw error;
    terminal.err(`${visible(error.message)}\n`);
  }
}

async function once(paths: readonly string[], flags: TestFlags, terminal: Terminal, testRuntime: TestRuntime): Promise<number> {
  const began = performance.now();
  using progress = progressOn(terminal, { quiet: flags.quiet === true || terminal.isLive !== true });
  progress.step("compile", paths.join(", "));
  const project = readTested(paths, flags, terminal);
  if (project === undefined) return status.failed;
  const { suite } = project;
  const cases = filtered(suite.cases, flags.filter);
  if (cases.length === 0) throw new UsageError(nothingToRun(suite, flags));
  const begins = (): void => progress.step("test", `${cases.length} ${cases.length === 1 ? "test" : "tests"}`);
  const choice = { paths, flags, covers: wantsCoverage(flags), begins };
  const { results, coverage } = await runTests(project, cases, choice, testRuntime, terminal);
  progress.done();
  if (flags.update === true) return sayUpdate(results, suite, terminal, performance.now() - began);
  sayResults(results, suite, flags, terminal, performance.now() - began);
  const isForPeople = flags.format === "text" || flags.out !== undefined;
  const isEnough = coverage === undefined || sayCoverage(coverage.points(), suite.sources, { ...flags, isForPeople }, terminal);
  return isEnough && results.every(({ outcome }) => outcome !== "failed") ? status.done : status.failed;
}

/** Runs the tests again whenever a file of the project, or a test, has changed; until Ctrl-C. */
async function follow(paths: readonly string[], flags: TestFlags, terminal: Terminal, testRuntime: TestRuntime): Promise<number> {
  const ends = new AbortController();
  const end = (): void => ends.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const environment = environmentOfTests(paths, flags, terminal);
  const others = (): string[] => findTests(paths, terminal.cwd).map(({ path }) => path);
  const run = async (): Promise<void> => {
    await onceOrSay(paths, flags, terminal, testRuntime);
    terminal.err(`watching ${visibleLine(paths.join(", "))}; Ctrl-C ends\n`);
  };
  try {
    await followChanges({ paths: configPaths(paths, terminal.cwd), cwd: terminal.cwd, environment, others }, run, ends.signal);
    return status.done;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
  }
}

function nothingToRun({ cases }: Suite, { filter }: TestFlags): string {
  if (filter !== undefined && cases.length > 0)
    return `no test has '${filter}' in its name, file or interface; there are ${cases.length} tests`;
  return "there are no tests: write NAME.test.yaml beside NAME.yaml, or an example under accepts";
}

/** Prints the written values, and shows the tests that still fail. */
function sayUpdate(results: readonly CaseResult[], suite: Suite, terminal: Terminal, ms: number): number {
  const { files, left } = update(results, suite);
  // The tests in `left` have mistakes that writing values cannot correct.
  if (left.length > 0) terminal.out(textReport(left, suite.sources, paint(terminal.colors.out), ms));
  for (const [file, count] of files) terminal.out(`${visibleLine(file)}: ${count} ${count === 1 ? "value" : "values"} written\n`);
  if (files.size === 0 && left.length === 0) terminal.out("nothing to write: every test passes\n");
  return left.length > 0 ? status.failed : status.done;
}
