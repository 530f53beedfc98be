import { type Ordered, unknown } from "../store/run-orders.ts";
import { isOfStep, isOfToken, isStepOf, questionPath, tokenPath, waitOfToken } from "../store/run-paths.ts";
import type { Checkpoint, RunDetails, RunStore } from "../store/runs.ts";
import { readOutcome } from "./outcome.ts";

/**
 * Makes a run due again that has failed or was cancelled. After a failure the failed and skipped actions are done again, and their tokens
 * can be used again. An action that has succeeded stays so, and so do the steps that one has done before it failed. After a cancellation
 * callbacks whose time went by without an answer are waited for anew.
 */
export async function retryRun(runs: RunStore, id: string): Promise<Ordered> {
  const run = await runs.show(id);
  const again = run?.status === "failed" ? pathsAgain(await runs.outputs(id)) : unanswered(run?.waits ?? []).flatMap(withAll);
  if (again === undefined) return { refused: "the outcomes of the run cannot be read: were they sealed with another PIPEWRIGHT_RUNS_KEY?" };
  const state = await runs.retry(id, again);
  if (state === "unknown") return unknown;
  return state === "due" ? { done: "due" } : { refused: "only a run that has failed or was cancelled can be tried again" };
}

/** The paths of which nothing is kept; undefined where the outputs are sealed with another key, or somebody else has written them. */
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

/** The path of an action or of a step that waits, with all that is kept beside it. */
const withAll = (path: string): readonly string[] => [path, tokenPath(path), questionPath(path)];

/** The paths of waits with a token that are over, and for which nothing has come. One without a token is a delay, which has passed. */
const unanswered = (waits: RunDetails["waits"]): readonly string[] =>
  waits
    .filter(({ path, state }) => isOfToken(path) && state !== "resumed")
    .filter((token) => token.state === "expired" || waits.some(({ path, state }) => tokenPath(path) === token.path && state === "expired"))
    .map(({ path }) => waitOfToken(path));

/** Steps of these actions that still waited when the action failed: they ask again. Results of other steps stay. */
const closedSteps = (outputs: readonly Checkpoint[], actions: readonly string[]): readonly string[] =>
  outputs.flatMap(({ path, output }) =>
    output === "" && !isOfToken(path) && actions.some((action) => isStepOf(path, action)) ? [path] : [],
  );

/**
 * True for the paths of items whose loop was tried again later. They stay as they are, so that the run comes to the last try of the loop,
 * and does again what has failed there.
 */
function earlierTries(paths: readonly string[]): (path: string) => boolean {
  const last = new Map<string, number>();
  for (const { loop, number } of paths.flatMap(triesIn)) last.set(loop, Math.max(number, last.get(loop) ?? 0));
  return (path) => triesIn(path).some(({ loop, number }) => number < (last.get(loop) ?? 0));
}

/** The loops around an action, with the numbers of their tries: `Lines[0]/Line` is of the first one, `Lines~1[0]/Line` of the next. */
const triesIn = (path: string): { readonly loop: string; readonly number: number }[] =>
  [...path.matchAll(/(?:~(\d+))?\[/g)].map(({ 1: number = "0", index }) => ({ loop: path.slice(0, index), number: Number(number) }));

/** An action that was dropped has done what it was to do. */
function isAgain({ output }: Checkpoint): boolean {
  const { state, dropped } = readOutcome(output);
  return (state === "failed" || state === "skipped") && !dropped;
}
