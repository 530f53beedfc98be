import { randomInt } from "node:crypto";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import type { AnalysedPlan } from "../5-analyse/index.ts";
import type { CaseResult } from "../testing/run-suite.ts";
import { filtered } from "../testing/suite.ts";
import { openPair, verifyCase, verifyInterface } from "../testing/verify/index.ts";
import { progressOn } from "./progress.ts";
import { refuseEnvironment, sayEnvironment, type Terminal } from "./project.ts";
import { status } from "./status.ts";
import { TestRuntime } from "./test-runtime.ts";
import { environmentOfTests, readTested, settingsOf, type TestedProject } from "./tests/project.ts";
import { type ReportFlags, sayResults } from "./tests/report.ts";

export interface VerifyFlags extends ReportFlags {
  readonly env?: string;
  readonly filter?: string;
  readonly runs: string;
  readonly seed?: string;
  /** The time limit in seconds. */
  readonly time?: string;
  readonly quiet?: boolean;
}

/** Changes the plans for the interpreter. Our tests use it to check that a difference is found. */
export type Mutate = (plans: readonly AnalysedPlan[]) => readonly AnalysedPlan[];

/**
 * Compares the printed modules with the interpreter, on the tests and the examples of a project and on random requests; the status is 1
 * when they differ (spec/command-line 12).
 */
export async function verify(paths: readonly string[], flags: VerifyFlags, terminal: Terminal, mutate?: Mutate): Promise<number> {
  const began = performance.now();
  const environment = environmentOfTests(paths, flags, terminal);
  refuseEnvironment(environment);
  if (flags.quiet !== true && flags.format === "text") sayEnvironment(environment, flags, terminal);
  const runs = wholeNumber("--runs", flags.runs, 0, 1_000_000);
  const seed = wholeNumber("--seed", flags.seed ?? String(randomInt(highestSeed)), 0, highestSeed);
  const seconds = flags.time === undefined ? undefined : wholeNumber("--time", flags.time, 1, 86_400);
  using progress = progressOn(terminal, { quiet: flags.quiet === true || terminal.isLive !== true });
  progress.step("compile", paths.join(", "));
  const project = readTested(paths, flags, terminal);
  if (project === undefined) return status.failed;
  const { planned, suite } = project;
  const settings = await settingsOf(paths, flags, terminal);
  await using testRuntime = new TestRuntime(terminal);
  const { live, threads } = await testRuntime.open();
  const { plans } = planned;
  const pair = await openPair(live, { plans, walked: mutate?.(plans) ?? plans, sources: suite.sources }, threads);
  const chosen = { cases: filtered(suite.cases, flags.filter), targets: targetsOf(project, flags.filter) };
  if (chosen.cases.length === 0 && chosen.targets.length === 0)
    throw new UsageError(`no interface or test has '${flags.filter}' in its name or file`);
  const results: CaseResult[] = [];
  progress.step("verify", `${chosen.cases.length} tests and examples`);
  for (const each of chosen.cases) results.push(await verifyCase(each, pair, settings));
  for (const [i, { config, target }] of chosen.targets.entries()) {
    if (runs === 0) break;
    progress.step("verify", `${target.name} (${i + 1} of ${chosen.targets.length})`);
    // The remaining interfaces share the remaining time.
    const time = seconds === undefined ? undefined : (seconds * 1000 - (performance.now() - began)) / (chosen.targets.length - i);
    results.push(await verifyInterface({ config, target, suite }, pair, settings, { runs, seed, time }));
  }
  progress.done();
  sayResults(results, suite, flags, terminal, performance.now() - began);
  const again = `seed ${seed}: --seed ${seed} --runs ${runs} makes the same requests again\n`;
  (flags.format === "text" ? terminal.out : terminal.err)(again);
  return results.some(({ outcome }) => outcome === "failed") ? status.failed : status.done;
}

const highestSeed = 2 ** 31 - 1;

/** The interfaces whose name or file contains a text, in any case of letters. */
function targetsOf({ planned }: TestedProject, text = "") {
  const part = text.toLowerCase();
  const all = planned.plans.flatMap((config) => config.interfaces.map((target) => ({ config, target })));
  return all.filter(({ config, target }) => [config.file, target.name].some((each) => each.toLowerCase().includes(part)));
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${flag} takes a whole number from ${least} to ${most}, not '${text}'`);
}
