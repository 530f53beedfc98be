import { asyncEachNode, eachNodeWork, Long } from "../../paths/each-node.ts";
import { container } from "../../paths/nodes-mask.ts";
import type { NodePath } from "../../paths/path.ts";
import { inSlices, turns, type Work } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import type { Act } from "../run.ts";

// `values` are the values of markers in the list: they are the same for all matches.

/**
 * Runs a list of transforms with each match of a path as its own root, and puts the result back (spec/transforms 4). An array that a `$`
 * path matches is one root; for any other path each element of an array is a root. Without a match nothing happens. Data without members
 * fail.
 */
export function nested<Values extends readonly unknown[]>(
  act: Act,
  data: Json,
  target: NodePath,
  list: (data: Json, ...values: Values) => Json,
  ...values: Values
): Json | Promise<Json> {
  const run = (root: Json): Json => {
    act.enter();
    const out = list(root, ...values);
    act.leave();
    return out;
  };
  function* each(match: readonly Json[]): Work<Json> {
    const results: Json[] = [];
    for (const item of match) if (results.push(run(item)) % rootsOfSlice === 0) yield;
    return results;
  }
  const work = eachNodeWork(placed(data, target), target, (match) => (isList(match, target) ? new Long(each(match)) : run(match)));
  return inSlices(work, act);
}

/** A number of matches that take about a millisecond with a short list of transforms. */
const rootsOfSlice = 100;

/** Applies a list with a transform that waits: one match after the other. */
export async function asyncNested<Values extends readonly unknown[]>(
  act: Act,
  data: Json,
  target: NodePath,
  list: (data: Json, ...values: Values) => Promise<Json>,
  ...values: Values
): Promise<Json> {
  const run = async (root: Json): Promise<Json> => {
    act.signal.throwIfAborted();
    act.enter();
    const out = await list(root, ...values);
    act.leave();
    return out;
  };
  const turn = turns(act);
  return asyncEachNode(placed(data, target), target, act, async (match) => {
    if (!isList(match, target)) return run(match);
    const results: Json[] = [];
    for (const item of match) {
      results.push(await run(item));
      if (turn.isDue()) await turn.take();
    }
    return results;
  });
}

/** Gives the data, when a path may lead into it. */
const placed = (data: Json, target: NodePath): Json => (target.steps.length === 0 ? data : container(data));

const isList = (match: Json, { rooted }: NodePath): match is Json[] => !rooted && Array.isArray(match);
