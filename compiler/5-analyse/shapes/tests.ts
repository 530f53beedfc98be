import type { AssertPlan, MatcherPlan, Op, TestPlan } from "#runtime/plan/index.ts";
import { any, each, type Member, object, type Shape } from "#runtime/shapes/shape.ts";
import { findsMembers } from "../features.ts";
import { bodyShape } from "./bodies.ts";
import { exprShape } from "./exprs.ts";
import type { ShapeScope } from "./scope.ts";

/** The data that have passed all tests. */
export function afterTests(tests: readonly TestPlan[], data: Shape, scope: ShapeScope): Shape {
  return tests.reduce((shape, test) => afterTest(test, shape, scope), data);
}

function afterTest(test: TestPlan, data: Shape, scope: ShapeScope): Shape {
  const inner: ShapeScope = { ...scope, at: test.at ?? scope.at };
  exprShape(test.target, inner);
  for (const matcher of test.matchers) visitMatcher(matcher, inner);
  if (test.error_message !== undefined) exprShape(test.error_message, inner);
  if (test.http_response !== undefined) bodyShape(test.http_response, inner);
  return data;
}

function visitMatcher({ operand, values = [] }: MatcherPlan, scope: ShapeScope): void {
  for (const part of [operand, ...values]) exprShape(part, scope);
}

/** Looks at what the tests read, where nothing follows of the data. */
export function visitTests({ tests, error_message, success_message }: AssertPlan, scope: ShapeScope): void {
  afterTests(tests, scope.data ?? any, scope);
  for (const message of [error_message, success_message]) if (message !== undefined) exprShape(message, scope);
}

/** The members that matchers find are merged into data that are an object (spec/language 6.4). */
export function afterFound({ assert, adds }: Extract<Op, { op: "check" }>, data: Shape): Shape {
  if (!adds) return data;
  const names = assert.tests.flatMap(foundNames);
  return each(data, (one) => {
    if (one.type !== "object") return one;
    const added = names.map((name): [string, Member] => [name, { shape: any, optional: true }]);
    return object(new Map([...one.members, ...added]), one.rest);
  });
}

const foundNames = ({ matchers, result_key }: TestPlan): readonly string[] =>
  matchers.flatMap(({ use, leaves = {} }) => [
    ...(findsMembers(use) ? ["Basic", "Bearer", result_key ?? "jwt_claims"] : []),
    ...Object.values(leaves).flatMap(foundNames),
  ]);
