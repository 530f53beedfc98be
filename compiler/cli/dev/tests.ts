import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import { PathError } from "../../1-read/path-error.ts";
import type { Planned } from "../../pipeline.ts";
import { type CoveredPoint, missing, partsOf, percent, shareOf } from "../../testing/coverage/coverage.ts";
import { keyOf, pointsOf } from "../../testing/coverage/points.ts";
import { failureText, paint } from "../../testing/report-text.ts";
import { tally } from "../../testing/run-suite.ts";
import type { Terminal } from "../project.ts";
import { TestRuntime } from "../test-runtime.ts";
import { readTested } from "../tests/project.ts";
import { runTests } from "../tests/run.ts";

/** The result of all tests of a project, for the page. */
export interface TestsRun {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The coverage in percent of all points. */
  readonly share: number;
  readonly failures: readonly { readonly name: string; readonly interface: string; readonly text: string }[];
  /** The reason why no test was run. */
  readonly problem?: string;
}

/** The coverage of an interface. Lines are those of its configuration. */
export interface InterfaceCoverage {
  /** True when the lines of the interface have changed since the tests were run. */
  readonly isStale: boolean;
  readonly share: number;
  readonly lines: readonly { readonly line: number; readonly state: LineState; readonly missing: readonly string[] }[];
  /** The number of runs of each action, by its name. */
  readonly actions: Readonly<Record<string, number>>;
}

type LineState = "all" | "part" | "none";

/** The most failures that are shown, and the most characters of one. */
const most = { failures: 20, text: 4_000 } as const;

interface Measured {
  readonly planned: Planned;
  readonly points: ReadonlyMap<string, CoveredPoint>;
}

/** Runs the contract tests for the page, and keeps their coverage until the next run. */
export class DevTests implements AsyncDisposable {
  readonly #paths: readonly string[];
  readonly #flags: { readonly env?: string };
  readonly #terminal: Terminal;
  readonly #testRuntime: TestRuntime;
  #running: Promise<TestsRun> | undefined;
  #measured: Measured | undefined;

  constructor(paths: readonly string[], flags: { readonly env?: string }, terminal: Terminal) {
    this.#paths = paths;
    this.#flags = flags;
    this.#terminal = terminal;
    this.#testRuntime = new TestRuntime(terminal);
  }

  /** Runs all tests; a second call meanwhile waits for the same run. */
  run(): Promise<TestsRun> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * The coverage of an interface. Undefined before the first run of tests, and for an interface that is newer than the run. `yaml` has the
   * lines of the served interface.
   */
  coverageOf(
    config: string,
    target: string,
    yaml: { readonly first: number; readonly lines: readonly string[] },
  ): InterfaceCoverage | undefined {
    const plan = this.#measured?.planned.plans.find(({ name }) => name === config);
    const of = plan?.interfaces.find(({ name }) => name === target);
    if (this.#measured === undefined || plan === undefined || of === undefined) return undefined;
    const { planned, points } = this.#measured;
    const table = planned.sources.lines(plan.file);
    const own = pointsOf(of).flatMap(({ kind, at }) => points.get(keyOf(kind, at)) ?? []);
    const here = own.filter(({ at }) => at.file === plan.file);
    const byLine = Map.groupBy(here, ({ at }) => table.at(at.start).line);
    return {
      isStale: yaml.lines.some((text, i) => yaml.first + i > table.count || table.line(yaml.first + i) !== text),
      share: percent(shareOf(own)),
      lines: [...byLine].map(([line, list]) => ({ line, state: stateOf(list), missing: list.flatMap((point) => missing(point) ?? []) })),
      actions: Object.fromEntries(own.flatMap(({ kind, label, counts }) => (kind === "action" ? [[label, counts.yes] as const] : []))),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.catch(() => undefined);
    await this.#testRuntime[Symbol.asyncDispose]();
  }

  async #run(): Promise<TestsRun> {
    try {
      return await this.#tested();
    } catch (error) {
      // These are mistakes of the project, which the developer corrects while `dev` runs.
      if (error instanceof UsageError || error instanceof PathError || error instanceof Unmet) return notRun(error.message);
      throw error;
    }
  }

  async #tested(): Promise<TestsRun> {
    let output = "";
    const err = (text: string): void => {
      output += text;
    };
    const terminal: Terminal = { ...this.#terminal, err, out: err, isTerminal: false, isLive: false, colors: { out: false, err: false } };
    const project = readTested(this.#paths, this.#flags, terminal);
    if (project === undefined) return notRun(output);
    const { planned, suite } = project;
    if (suite.cases.length === 0) return notRun("There are no tests. Write NAME.test.yaml beside NAME.yaml, or an example under accepts.");
    const choice = { paths: this.#paths, flags: this.#flags, covers: true };
    const { results, coverage } = await runTests(project, suite.cases, choice, this.#testRuntime, terminal);
    const points = coverage?.points() ?? [];
    this.#measured = { planned, points: new Map(points.map((point) => [keyOf(point.kind, point.at), point])) };
    const failures = results.filter(({ outcome }) => outcome === "failed").slice(0, most.failures);
    return {
      ...tally(results),
      share: percent(shareOf(points)),
      failures: failures.map((each) => ({
        name: each.case.name,
        interface: each.case.target.name,
        text: failureText(each, suite.sources, paint(false)).slice(0, most.text),
      })),
    };
  }
}

const notRun = (problem: string): TestsRun => ({
  passed: 0,
  failed: 0,
  skipped: 0,
  share: 0,
  failures: [],
  problem: problem.slice(0, most.text),
});

function stateOf(points: readonly CoveredPoint[]): LineState {
  const parts = points.flatMap(partsOf);
  if (parts.every(Boolean)) return "all";
  return parts.some(Boolean) ? "part" : "none";
}
