import { type Ordered, unknown } from "../store/run-orders.ts";
import { isOfStep, isOfToken, isStepOf, questionPath, tokenPath, waitOfToken } from "../store/run-paths.ts";
import type { Checkpoint, RunDetails, RunStore } from "../store/runs.ts";
import { readOutcome } from "./outcome.ts";

/**
 * Makes a failed or cancelled run due again. After a failure the failed and skipped actions are done again, and their tokens can be used
 * again. Succeeded actions keep their outcomes, and failed actions the results of their finished steps. After a cancellation the run waits
 * anew for callbacks whose time has passed without an answer.
 */
export async function retryRun(runs: RunStore, id: string): Promise<Ordered> {
  const run = await runs.show(id);
  const again = run?.status === "failed" ? pathsAgain(await runs.outputs(id)) : unanswered(run?.waits ?? []).flatMap(withAll);
  if (again === undefined) return { refused: "the outcomes of the run cannot be read: were they sealed with another PIPEWRIGHT_RUNS_KEY?" };
  const state = await runs.retry(id, again);
  if (state === "unknown") return unknown;
  return state === "due" ? { done: "due" } : { refused: "only a run that has failed or was cancelled can be tried again" };
}

/** The paths whose outcomes are removed; undefined when the outputs are sealed with another key, or written by another program. */
function pathsAgain(outputs: readonly Checkpoint[]): readonly string[] | undefined {
  try {
    const actions = outputs.filter(({ path }) => !isOfToken(path) && !isOfStep(path));
    const isOver = earlierTries(actions.map(({ path }) => path));
    const again = actions.filter((each) => isAgain(each) && !isOver(each.path)).map(({ path }) => path);
    return [...again, ...closedSteps(outputs, again)].flatMap(withAll);
  } catch {
    return undefined;
  }
}

/** The path of an action or a step, with the paths of its token and its question. */
const withAll = (path: string): readonly string[] => [path, tokenPath(path), questionPath(path)];

/** The paths of waits with a token whose time has passed without a payload. A wait without a token is a delay, which is over. */
const unanswered = (waits: RunDetails["waits"]): readonly string[] =>
  waits
    .filter(({ path, state }) => isOfToken(path) && state !== "resumed")
    .filter((token) => token.state === "expired" || waits.some(({ path, state }) => tokenPath(path) === token.path && state === "expired"))
    .map(({ path }) => waitOfToken(path));

/** Steps of these actions that still waited when the action failed: they ask again. Results of finished steps stay. */
const closedSteps = (outputs: readonly Checkpoint[], actions: readonly string[]): readonly string[] =>
  outputs.flatMap(({ path, output }) =>
    output === "" && !isOfToken(path) && actions.some((action) => isStepOf(path, action)) ? [path] : [],
  );

/**
 * True for items of an earlier try of a loop. Their outcomes stay, so that the run comes to the last try of the loop, and repeats what
 * failed in that try.
 */
function earlierTries(paths: readonly string[]): (path: string) => boolean {
  const last = new Map<string, number>();
  for (const { loop, number } of paths.flatMap(triesIn)) last.set(loop, Math.max(number, last.get(loop) ?? 0));
  return (path) => triesIn(path).some(({ loop, number }) => number < (last.get(loop) ?? 0));
}

/**
 * The loops around an action, with the numbers of their tries: `Lines[0]/Line` is an item of the first try, `Lines~1[0]/Line` one of the
 * second.
 */
const triesIn = (path: string): { readonly loop: string; readonly number: number }[] =>
  [...path.matchAll(/(?:~(\d+))?\[/g)].map(({ 1: number = "0", index }) => ({ loop: path.slice(0, index), number: Number(number) }));

/** True for an action that is done again. A dropped action is not: its work counts as done. */
function isAgain({ output }: Checkpoint): boolean {
  const { state, dropped } = readOutcome(output);
  return (state === "failed" || state === "skipped") && !dropped;
}
