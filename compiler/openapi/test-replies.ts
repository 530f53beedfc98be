import type { ActionPlan, AssertPlan, BodyPlan, TestPlan } from "#runtime/plan/index.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";

// This file handles failed tests with a body of their own, which is sent in place of all other bodies (spec/language 6.4).

/** The bodies of tests that an answer with this status may have. A failure that ends the run at once has the status of its action. */
export function testReplies({ actions, assert, response }: AnalysedInterface, code: number): readonly BodyPlan[] {
  const usual = actions.filter(({ response_on_error }) => response_on_error === undefined);
  const asserts = [...usual.flatMap(checksOf), ...(assert === undefined ? [] : [assert])];
  return asserts.flatMap(({ tests, http_code_on_error: common }) =>
    tests.flatMap(({ http_response, http_code_on_error = common }) => {
      const isMeant = [undefined, response.http_code_on_error, code].includes(http_code_on_error) || response.http_code_on_error === code;
      return http_response !== undefined && isMeant ? [http_response] : [];
    }),
  );
}

/** The bodies of tests that an answer without its own body may have. The tests of the action `passed` have passed. */
export const actionReplies = ({ actions }: AnalysedInterface, passed: ActionPlan | undefined): readonly BodyPlan[] =>
  actions
    .filter((action) => action !== passed)
    .flatMap(checksOf)
    .flatMap(({ tests }) => tests.flatMap(({ http_response }) => http_response ?? []));

const checksOf = ({ ops }: ActionPlan): readonly AssertPlan[] => ops.flatMap((op) => (op.op === "check" ? [op.assert] : []));

/** The interface without tests that have a body: the other failures have the body of the interface. */
export function withoutReplies(plan: AnalysedInterface): AnalysedInterface {
  const { assert } = plan;
  return { ...plan, actions: plan.actions.map(withoutTests), ...(assert === undefined ? {} : { assert: remaining(assert) }) };
}

const withoutTests = (action: ActionPlan): ActionPlan => ({
  ...action,
  ops: action.ops.map((op) => (op.op === "check" ? { ...op, assert: remaining(op.assert) } : op)),
});

function remaining(assert: AssertPlan): AssertPlan {
  const tests = assert.tests.filter(({ http_response }) => http_response === undefined);
  const { http_code_on_error: _, ...rest } = assert;
  const isNamed = tests.some(isUncoded) || assert.tests.length === 0;
  return { ...(isNamed ? assert : rest), tests };
}

const isUncoded = ({ http_code_on_error }: TestPlan): boolean => http_code_on_error === undefined;
