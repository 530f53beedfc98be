import { type Ordered, unknown } from "../store/run-orders.ts";
import { type Checkpoint, isOfToken, type RunStore, tokenPath } from "../store/runs.ts";
import { readOutcome } from "./outcome.ts";

/**
 * Makes a run due again that has failed or was cancelled. After a failure the failed and skipped actions are done again, and their tokens
 * can be used again. An action that has succeeded stays so.
 */
export async function retryRun(runs: RunStore, id: string): Promise<Ordered> {
  const hasFailed = (await runs.show(id))?.status === "failed";
  const again = hasFailed ? pathsAgain(await runs.outputs(id)) : [];
  if (again === undefined) return { refused: "the outcomes of the run cannot be read: were they sealed with another PIPEWRIGHT_RUNS_KEY?" };
  const state = await runs.retry(id, again);
  if (state === "unknown") return unknown;
  return state === "due" ? { done: "due" } : { refused: "only a run that has failed or was cancelled can be tried again" };
}

/** The paths of which nothing is kept; undefined where the outputs are sealed with another key, or somebody else has written them. */
function pathsAgain(outputs: readonly Checkpoint[]): readonly string[] | undefined {
  try {
    return outputs.filter((each) => !isOfToken(each.path) && isAgain(each)).flatMap(({ path }) => [path, tokenPath(path)]);
  } catch {
    return undefined;
  }
}

/** An action that was dropped has done what it was to do. */
function isAgain({ output }: Checkpoint): boolean {
  const { state, dropped } = readOutcome(output);
  return (state === "failed" || state === "skipped") && !dropped;
}
