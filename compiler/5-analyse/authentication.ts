import type { ActionListPlan, ActionPlan, AssertPlan, ConditionPlan, InterfacePlan, MatcherPlan, TestPlan } from "#runtime/plan/index.ts";
import { readsSecret } from "../4-plan/markers/mentions.ts";
import { everyAction } from "./every.ts";
import { provesCaller } from "./features.ts";
import { withLeaves } from "./uses.ts";

/** The ways in which an interface authenticates its caller. */
export interface Authentication {
  /** The tests that prove the identity of the caller. */
  readonly proofs: readonly TestPlan[];
  /** Actions, those of loops included, that run for a caller who has proved nothing. */
  readonly unproven: readonly ActionPlan[];
}

export function authenticationOf(plan: InterfacePlan): Authentication {
  const early = plan.params.flatMap(({ validate }) => proofsOf(validate === undefined ? [] : [validate]));
  const ofActions = everyAction(plan.actions).flatMap((action) => [...proofsOf(action.gates.run_on_assertion?.tests), ...ofAssert(action)]);
  return {
    proofs: [...early, ...ofActions, ...proofsOf(plan.assert?.tests)],
    // Parameters are tested before the first action.
    unproven: early.length > 0 ? [] : unprovenOf(plan),
  };
}

/**
 * True when only a caller who knows a secret passes the matcher: its record has `proves`, or it compares with a secret of the
 * configuration.
 */
export const isProof = ({ use, operand }: MatcherPlan): boolean => provesCaller(use) || (use === "is_equal_to" && readsSecret(operand));

/** A test that lets a missing value pass proves nothing. */
const proofsOf = (tests: AssertPlan["tests"] = []): readonly TestPlan[] =>
  tests.flatMap(withLeaves).filter(({ optional, spares, matchers }) => !optional && spares !== true && matchers.some(isProof));

const ofAssert = ({ ops }: ActionPlan): readonly TestPlan[] => ops.flatMap((op) => (op.op === "check" ? proofsOf(op.assert.tests) : []));

/**
 * The actions that run for a caller who has proved nothing. A gate guards an action: its own `run_on_assertion` has a proof, or
 * `run_when_succeeded` names an action that succeeds only after a proof. The assert of an action is tested after its call, so it guards
 * later actions and not its own. The list is in start order.
 */
function unprovenOf({ actions }: ActionListPlan): readonly ActionPlan[] {
  const proving = new Set<string>();
  return actions.flatMap((action) => {
    const { run_on_assertion, run_when_succeeded } = action.gates;
    const isKept = proofsOf(run_on_assertion?.tests).length > 0 || demandsOne(run_when_succeeded, proving);
    if (isKept || ofAssert(action).length > 0) proving.add(action.name);
    if (isKept) return [];
    return [action, ...action.ops.flatMap((op) => (op.op === "lookup" ? unprovenOf(op.body) : []))];
  });
}

/**
 * True when a gate needs a proof. With `at_least`, some of the named actions may fail, so more actions must prove the caller than may fail.
 */
function demandsOne(condition: ConditionPlan | undefined, proving: ReadonlySet<string>): boolean {
  if (condition === undefined) return false;
  const { actions, at_least = actions.length } = condition;
  return actions.filter((name) => proving.has(name)).length > actions.length - at_least;
}
