import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Refused } from "./api.ts";
import { askTests, type Covered, readCoverage, type TestsRun } from "./dev-api.ts";
import { type Loading, refusalOf, useLoaded } from "./load.ts";
import { Problem } from "./parts.tsx";
import { line, plural, shown } from "./text.ts";

/** The last run of the tests. It stays when the user leaves the page, so that other pages show it, too. */
let last: TestsRun | undefined;

interface Testing {
  readonly covered: Covered | undefined;
  readonly run: TestsRun | undefined;
  readonly problem: Refused | undefined;
  readonly isRunning: boolean;
  readonly start: () => void;
}

/** The tests of the project, and their coverage of an interface. */
export function useTests(config: string, target: string, version: number): Testing {
  const [turn, setTurn] = useState(0);
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Refused>();
  const { value }: Loading<Covered | null> = useLoaded(
    () => readCoverage(config, target),
    [config, target, version, turn],
    undefined,
    true,
  );
  const start = (): void => {
    setRunning(true);
    setProblem(undefined);
    askTests()
      .then(
        (run) => {
          last = run;
        },
        (error: unknown) => setProblem(refusalOf(error)),
      )
      .finally(() => {
        setRunning(false);
        setTurn((before) => before + 1);
      });
  };
  return { covered: value ?? undefined, run: last, problem, isRunning, start };
}

/** The button that runs the tests, and their result. */
export function Tests({ covered, run, problem, isRunning, start }: Testing): JSX.Element {
  return (
    <section class="card tests">
      <h2>Tests</h2>
      <p class="doing">
        <button type="button" onClick={start} disabled={isRunning}>
          Run the tests
        </button>
        <span role="status">{isRunning ? "They run …" : run === undefined ? "" : endOf(run)}</span>
      </p>
      <Problem of={problem} />
      {covered === undefined ? (
        <p class="quiet">Tests paint the lines and the graph with what they come by.</p>
      ) : (
        <p>
          {covered.isStale
            ? "The interface has changed since the tests were run: its lines are not painted."
            : `The tests come by ${covered.share} % of this interface.`}
        </p>
      )}
      {run?.problem === undefined ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <pre tabIndex={0}>{shown(run.problem)}</pre>
      )}
      {(run?.failures ?? []).map(({ name, interface: target, text }, i) => (
        <details key={i}>
          <summary>
            <span class="bad">failed</span> {line(name)} <span class="quiet">{line(target)}</span>
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          <pre tabIndex={0}>{shown(text)}</pre>
        </details>
      ))}
    </section>
  );
}

const endOf = ({ passed, failed, skipped, problem }: TestsRun): string =>
  problem !== undefined
    ? "No test was run."
    : [
        ...(failed === 0 ? [] : [`${failed} failed`]),
        `${plural(passed, "test")} passed`,
        ...(skipped === 0 ? [] : [`${skipped} skipped`]),
      ].join(", ");
