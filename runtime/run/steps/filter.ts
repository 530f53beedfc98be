import { asyncEachNode, eachNode, placeOf, presentNodes } from "../../paths/each-node.ts";
import { container } from "../../paths/nodes-mask.ts";
import type { NodePath } from "../../paths/path.ts";
import { turns } from "../../threads/slices.ts";
import { partOf } from "../../value/columns.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { type Json, typeOf } from "../../value/json.ts";
import type { Act } from "../run.ts";
import type { Verdict } from "../verdict.ts";

// `values` are the values of markers in the conditions: they are the same for all elements.

/**
 * Keeps the elements of an array that pass every condition (spec/transforms 4). In a condition, a path without a match gives null, and a
 * matcher that does not fit the type of its value does not pass. A target that names one place and matches nothing fails the action, and so
 * does a target that is no array.
 */
export function filter<Values extends readonly unknown[]>(
  data: Json,
  target: NodePath,
  keeps: (item: Json, ...values: Values) => boolean,
  ...values: Values
): Json {
  const passes: Keeps = (item) => keeps(item, ...values);
  return eachNode(rooted(data, target), target, (list) => keptIn(listAt(list, target), passes));
}

/** Filters by conditions that wait: one element after the other. */
export async function asyncFilter<Values extends readonly unknown[]>(
  act: Act,
  data: Json,
  target: NodePath,
  keeps: (item: Json, ...values: Values) => Promise<boolean>,
  ...values: Values
): Promise<Json> {
  const turn = turns(act);
  return asyncEachNode(rooted(data, target), target, act, async (list) => {
    const out: Json[] = [];
    for (const item of listAt(list, target)) {
      act.signal.throwIfAborted();
      if (await keeps(item, ...values).catch(notKept)) out.push(item);
      if (turn.isDue()) await turn.take();
    }
    return out;
  });
}

/** True when an element passes every condition. */
export type Keeps = (item: Json) => boolean;

export function passesAll(keeps: Keeps, item: Json): boolean {
  try {
    return keeps(item);
  } catch (error) {
    return notKept(error);
  }
}

/** A condition that cannot be evaluated for an element fails; any other error is our bug. */
function notKept(error: unknown): false {
  if (error instanceof Failure || error instanceof Reject) return false;
  throw error;
}

/** Gives the data, when the path may lead into it. */
function rooted(data: Json, target: NodePath): Json {
  if (target.steps.length === 0) return data;
  presentNodes(container(data), target);
  return data;
}

/** Filters a list; rows of a database keep their form. */
function keptIn(list: readonly Json[], keeps: Keeps): Json[] {
  const out: Json[] = [];
  for (const item of list) if (passesAll(keeps, item)) out.push(item);
  return partOf(list, out);
}

/** The list to filter: the data, or the match of a path in it. */
export function listAt(list: Json, target: Pick<NodePath, "text"> = root): readonly Json[] {
  if (Array.isArray(list)) return list;
  throw new Failure("transform", `expected an array${placeOf(target)}, found ${typeOf(list)}`);
}

const root = { text: "" };

type Verdicts = Readonly<Record<string, Verdict>>;

/** True when every matcher of a condition passes. */
export const passes = (target: Json, matchers: (target: Json) => Verdicts): boolean => allPassed(matchers(target));

/** Evaluates a condition with a matcher that waits. */
export async function asyncPasses(target: Json, matchers: (target: Json) => Promise<Verdicts>): Promise<boolean> {
  return allPassed(await matchers(target));
}

function allPassed(verdicts: Verdicts): boolean {
  for (const name in verdicts) {
    const verdict = verdicts[name];
    if (verdict !== true && (typeof verdict !== "object" || !("found" in verdict))) return false;
  }
  return true;
}
