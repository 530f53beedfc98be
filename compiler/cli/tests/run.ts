import { openBench } from "../../testing/bench.ts";
import type { Case } from "../../testing/case.ts";
import { Coverage } from "../../testing/coverage/coverage.ts";
import { type CaseResult, runCases } from "../../testing/run-suite.ts";
import type { Terminal } from "../project.ts";
import type { TestRuntime } from "../test-runtime.ts";
import { settingsOf, type TestedProject } from "./project.ts";

/** The results of tests, and the coverage of their runs, if it was requested. */
export interface Tested {
  readonly results: readonly CaseResult[];
  readonly coverage: Coverage | undefined;
}

/** Runs some tests of a project; `begins` is called when everything is ready for them. */
export async function runTests(
  { planned, suite }: TestedProject,
  cases: readonly Case[],
  { paths, flags, covers, begins = () => undefined }: TestsAsked,
  testRuntime: TestRuntime,
  terminal: Terminal,
): Promise<Tested> {
  const settings = await settingsOf(paths, flags, terminal);
  const { live, threads } = await testRuntime.open();
  const bench = await openBench(live, { plans: [...planned.plans, ...suite.judges], sources: suite.sources }, threads);
  begins();
  const coverage = covers ? new Coverage(planned.plans) : undefined;
  const watched =
    coverage === undefined
      ? undefined
      : { bench: await openBench(live, { ...planned, sources: suite.sources }, threads, { interpret: true }), observer: coverage };
  return { results: await runCases(cases, bench, settings, watched), coverage };
}

interface TestsAsked {
  readonly paths: readonly string[];
  readonly flags: { readonly env?: string };
  readonly covers: boolean;
  readonly begins?: () => void;
}
