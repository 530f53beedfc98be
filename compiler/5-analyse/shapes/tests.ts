import type { AssertPlan, Expr, MatcherPlan, Op, TestPlan } from "#runtime/plan/index.ts";
import {
  type Alternative,
  alternatives,
  any,
  each,
  isNever,
  type Member,
  nothing,
  notNull,
  object,
  type Shape,
  union,
} from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import { recordOf } from "../../records.ts";
import { findsMembers } from "../features.ts";
import { bodyShape } from "./bodies.ts";
import { exprShape, mayBeNull } from "./exprs.ts";
import { inWords, narrowedAt, type Pass } from "./narrow.ts";
import { Notes } from "./notes.ts";
import type { ShapeScope } from "./scope.ts";

/** The data that have passed all tests. */
export function afterTests(tests: readonly TestPlan[], data: Shape, scope: ShapeScope): Shape {
  return tests.reduce((shape, test) => afterTest(test, shape, scope), data);
}

function afterTest(test: TestPlan, data: Shape, scope: ShapeScope): Shape {
  const inner: ShapeScope = { ...scope, at: test.at ?? scope.at };
  const target = exprShape(test.target, asksForNothing(test) ? { ...inner, note: new Notes() } : inner);
  for (const matcher of test.matchers) visitMatcher(matcher, inner);
  if (test.error_message !== undefined) exprShape(test.error_message, inner);
  if (test.http_response !== undefined) bodyShape(test.http_response, inner);
  judge(test, target, inner);
  const path = pathInData(test.target);
  if (path === undefined) return data;
  const passed = narrowedAt(data, path, passOf(test));
  // A test that no value passes was reported. The action stops there, so its data become `any`.
  return isNever(passed) ? any : passed;
}

/** True when the test wants no value at the place, or an empty one. A place that can never have a value is then no mistake. */
function asksForNothing(test: TestPlan): boolean {
  if (test.optional && test.matchers.length === 0) return true;
  const passing = alternatives(passOf(test)(any));
  return passing.some(({ type }) => type === "null") && passing.every(isEmpty);
}

function isEmpty(shape: Alternative): boolean {
  if (shape.type === "array") return isNever(shape.items);
  if (shape.type === "object") return shape.members.size === 0 && shape.rest === undefined;
  return shape.type === "null" || (shape.values?.length === 1 && shape.values[0] === "");
}

function visitMatcher({ operand, values = [], leaves = {} }: MatcherPlan, scope: ShapeScope): void {
  for (const part of [operand, ...values]) exprShape(part, scope);
  for (const leaf of Object.values(leaves)) afterTest(leaf, any, scope);
}

/** Notes whether each matcher can pass. A target that is always null was already noted, as a reading that leads nowhere. */
function judge(test: TestPlan, target: Shape, scope: ShapeScope): void {
  const tested = withoutConstants(test.optional ? notNull(target) : target);
  if (tested.type === "null" || isNever(tested)) return;
  for (const matcher of test.matchers) {
    const never = isNever(passing(matcher, test, tested)) ? inWords(tested) : undefined;
    scope.note.tested(matcher.use, never, matcher.at ?? scope.at);
  }
}

/**
 * The shape without constants. A test of a constant against another one is the way to make an action fail on purpose, so it is no mistake.
 */
const withoutConstants = (shape: Shape): Shape =>
  each(shape, (one) => ("values" in one && one.values?.length === 1 ? { type: one.type } : one));

/** The part of a target that may pass a matcher. A text that is read as a number may pass although its type differs (spec/language 6.8). */
function passing({ use, operand, reads, bare }: MatcherPlan, { case_insensitive }: TestPlan, target: Shape): Shape {
  if (reads !== undefined || bare) return target;
  const literal = operand.op === "lit" && !case_insensitive ? operand.value : undefined;
  return recordOf("matchers", use).shape?.(target, literal) ?? target;
}

/** The part of a shape that passes all matchers of a test; null passes, too, if the test allows it. */
export function passOf(test: TestPlan): Pass {
  return (shape) => {
    const tested = test.optional ? notNull(shape) : shape;
    const passed = test.matchers.reduce((left, matcher) => passing(matcher, test, left), test.required ? notNull(tested) : tested);
    return test.optional ? orNull(passed, shape) : passed;
  };
}

const orNull = (passed: Shape, shape: Shape): Shape => (mayBeNull(shape) ? union(passed, nothing) : passed);

/** The path of a target that only reads the action's data; undefined for other targets. */
function pathInData(target: Expr): readonly Step[] | undefined {
  if (target.op === "data") return [];
  if (target.op !== "at") return undefined;
  const before = pathInData(target.of);
  return before === undefined ? undefined : [...before, ...target.path];
}

/** Visits tests only for their readings, where they do not narrow the data. */
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
