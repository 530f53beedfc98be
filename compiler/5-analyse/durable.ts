import type { InterfacePlan, Op } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { factsOf } from "./actions/assessor.ts";
import type { DurableFact } from "./analysed.ts";
import { waitsForSomebody } from "./confirms.ts";
import { everyAction } from "./every.ts";
import { hash } from "./hash.ts";
import { withoutContracts } from "./ops.ts";
import { withoutPlaces } from "./without-places.ts";

/** The hashes of an interface whose runs are kept (spec/surfaces 14); undefined for any other. */
export const durableFact = (config: string, plan: InterfacePlan): DurableFact | undefined =>
  plan.durable || everyAction(plan.actions).some(({ ops }) => ops.some(mayLeave)) ? { plans: plansOf(config, plan) } : undefined;

/** True when a run leaves its process during the step. */
const mayLeave = (op: Op): boolean => waitsForSomebody(op) || factsOf(op).leaves === true;

/**
 * Hashes of what is still to run: one for each action as the first that has not settled, and one for the end of the run alone. Settled
 * actions, places in the YAML and texts for people do not count, so that a node with another bundle can continue a run if the rest of the
 * plan is equal.
 */
function plansOf(config: string, plan: InterfacePlan): readonly string[] {
  const { name, assert = null, response, log = null, actions, declared = null } = withoutContracts(plan);
  const end = hash(JSON.stringify(plain({ config, name, assert, response, log, declared })));
  const plans = [end];
  // The loop begins with the last action, so that each action is hashed once.
  for (const action of actions.toReversed()) plans.push(hash(`${JSON.stringify(plain(action))} ${plans.at(-1)}`));
  return plans.reverse();
}

/** A part of the plan as JSON, without places in the YAML. */
const plain = (part: unknown): Json => withoutPlaces(JSON.parse(JSON.stringify(part)));
