import type { TestRequest } from "#runtime/testing/test-request.ts";
import type { TracedAct, Trial } from "#runtime/testing/trial.ts";
import type { World } from "#runtime/testing/world.ts";
import type { Json } from "#runtime/value/json.ts";
import type { Observer } from "#runtime/walk/observer.ts";
import { get, items } from "../1-read/document.ts";
import { judgeInterface, testOfAction } from "./answer-tests.ts";
import type { Bench, BenchSettings } from "./bench.ts";
import type { Case } from "./case.ts";
import { difference } from "./compare.ts";
import { judgeExample } from "./examples.ts";
import { judge, type Mismatch } from "./judge.ts";
import { seenAnswer } from "./seen-answer.ts";

/** The result of a test. */
export interface CaseResult {
  readonly case: Case;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly mismatches: readonly Mismatch[];
  /** The reason why it was skipped. */
  readonly reason?: string;
  readonly acts: readonly TracedAct[];
  readonly ms: number;
}

/** The number of tests that run at the same time, because they wait for slow stubs and for threads. */
const together = 16;

/** A bench that interprets the configurations, and an observer of the points that their runs reach. */
export interface WatchedBench {
  readonly bench: Bench;
  readonly observer: Observer;
}

/** Runs tests, each in its own world, and gives their results in the order of the tests. */
export async function runCases(
  cases: readonly Case[],
  bench: Bench,
  settings: BenchSettings,
  watched?: WatchedBench,
): Promise<readonly CaseResult[]> {
  const results = new Map<Case, CaseResult>();
  const queue = cases.values();
  const work = async (): Promise<void> => {
    for (const each of queue) {
      results.set(each, await runCase(each, bench, settings, watched));
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return cases.flatMap((each) => results.get(each) ?? []);
}

/** The world of a test: the values of the environment, over which the values of the test win. */
export function worldOf({ given: { world } }: Case, { environment, variables }: BenchSettings): World {
  const { var: own, ...rest } = world;
  return { ...rest, environment, variables: { ...variables, ...own } };
}

async function runCase(each: Case, bench: Bench, settings: BenchSettings, watched: WatchedBench | undefined): Promise<CaseResult> {
  if (each.skip !== undefined) return { case: each, outcome: "skipped", reason: each.skip, mismatches: [], acts: [], ms: 0 };
  const began = performance.now();
  const trial = await bench.run(each.config.file, each.given.request, worldOf(each, settings));
  const differing = watched === undefined ? [] : await differences(each, trial, watched, settings);
  const verdict =
    each.written === undefined
      ? judgeExample(trial, each.target, each.at)
      : { mismatches: await judgeWritten(each, trial, bench, settings) };
  const ms = performance.now() - began;
  if ("skip" in verdict) return { case: each, outcome: "skipped", reason: verdict.skip, mismatches: [], acts: trial.acts, ms };
  const mismatches = [...verdict.mismatches, ...differing];
  return { case: each, outcome: mismatches.length === 0 ? "passed" : "failed", mismatches, acts: trial.acts, ms };
}

/** Runs the test again in the interpreter. The result of the module counts; the interpreter must do the same. */
async function differences(each: Case, trial: Trial, { bench, observer }: WatchedBench, settings: BenchSettings): Promise<Mismatch[]> {
  const walked = await bench.run(each.config.file, each.given.request, worldOf(each, settings), observer);
  const seen = ({ reply, effects }: Trial): Json => ({ ...seenAnswer({ reply }), effects: [...effects] });
  if (difference(seen(trial), seen(walked)) === undefined) return [];
  const message = "the interpreter does something else than the module: this is a bug of pipewright, please report it";
  return [{ at: each.at, message, expected: seen(trial), actual: seen(walked) }];
}

async function judgeWritten(each: Case, trial: Trial, bench: Bench, settings: BenchSettings): Promise<readonly Mismatch[]> {
  const expect = each.written?.test.expect;
  const mismatches = judge(trial, expect, each);
  const list = items(get(expect, "tests"));
  if (list.length === 0) return mismatches;
  return [...mismatches, ...(await judgeByTests(each, trial, bench, settings))];
}

/** Runs the tests of the answer, which are compiled like tests of a configuration. */
async function judgeByTests({ written, file, at }: Case, trial: Trial, bench: Bench, settings: BenchSettings): Promise<Mismatch[]> {
  const nodes = items(get(written?.test.expect, "tests"));
  const { status, headers, body } = seenAnswer(trial);
  const request: TestRequest = { ...nothing, interface: judgeInterface(written?.index ?? 0), body: { status, headers, body } };
  const judged = await bench.run(file, request, { ...emptyWorld, ...settings });
  return judged.acts.flatMap(({ name, state, error }) => {
    if (state === "succeeded") return [];
    return [{ at: nodes[testOfAction(name)]?.span ?? at, message: `the answer does not pass this test: ${error ?? state}` }];
  });
}

const nothing: TestRequest = { interface: "", trigger: "cli", params: {}, headers: {}, ip: "127.0.0.1" };
const emptyWorld = {
  env: {},
  secrets: {},
  clock: 0,
  seed: "",
  state: {},
  versions: {},
  seen: {},
  calls: [],
  databases: {},
  commands: [],
  callbacks: [],
  files: {},
};

/** The number of tests for each outcome. */
export function tally(results: readonly CaseResult[]): Readonly<Record<CaseResult["outcome"], number>> {
  const count = (outcome: CaseResult["outcome"]): number => results.filter((each) => each.outcome === outcome).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}
