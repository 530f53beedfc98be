import type { AssertPlan, MatcherPlan, TestPlan } from "#runtime/plan/index.ts";
import { canHold, findsMembers, matcherWaits } from "./features.ts";
import { waitingValue } from "./values.ts";

export function analyseAssert(plan: AssertPlan): AssertPlan {
  const tests = plan.tests.map(analyseTest);
  return { ...plan, tests, ...someWait(tests) };
}

/** Marks a test that waits: for its target, for an operand, in a matcher or in a test of a leaf. */
export function analyseTest(plan: TestPlan): TestPlan {
  const target = waitingValue(plan.target);
  const matchers = plan.matchers.map(analyseMatcher);
  return { ...plan, target, matchers, ...(target.waits || matchers.some(holdsUp) ? { waits: true as const } : {}) };
}

/** True when the matcher waits, or one of its operands, or a test of a leaf. */
const holdsUp = ({ waits, operand, values = [], leaves = {} }: MatcherPlan): boolean =>
  waits === true || [operand, ...values, ...Object.values(leaves)].some((part) => part.waits);

/** Analyses a condition of a `filter`, for which the reason of a failure is never read. */
export function analyseCondition(plan: TestPlan): TestPlan {
  const test = analyseTest(plan);
  return isPlain(test) ? { ...test, plain: true } : test;
}

/** True when the test has one matcher that needs only the target and its operand. */
function isPlain({ matchers, optional, case_insensitive }: TestPlan): boolean {
  const [only, ...more] = matchers;
  if (only === undefined || more.length > 0 || optional || case_insensitive) return false;
  return !only.dynamic && !only.secret && !only.bare && !only.isValue && only.reads === undefined && canHold(only.use);
}

function analyseMatcher(plan: MatcherPlan): MatcherPlan {
  const { use, operand, values, leaves } = plan;
  return {
    ...plan,
    operand: waitingValue(operand),
    ...(values === undefined ? {} : { values: values.map(waitingValue) }),
    ...(leaves === undefined
      ? {}
      : { leaves: Object.fromEntries(Object.entries(leaves).map(([path, test]) => [path, analyseTest(test)])) }),
    ...(matcherWaits(use, operand) ? { waits: true } : {}),
  };
}

/** Tests that may add members to the data, themselves or by the tests of their leaves. */
export const someFind = (tests: readonly TestPlan[]): boolean =>
  tests.some(({ matchers }) => matchers.some(({ use, leaves = {} }) => findsMembers(use) || someFind(Object.values(leaves))));

/** `waits: true` when a part of the list waits. */
export const someWait = (list: readonly { readonly waits?: true }[]): { readonly waits?: true } =>
  list.some(({ waits }) => waits) ? { waits: true } : {};
