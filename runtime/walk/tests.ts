import type { MatcherOptions } from "../features/feature.ts";
import { credentials } from "../keys/authorization.ts";
import type { AssertPlan, BodyPlan, Expr, MatcherPlan, TestPlan } from "../plan/index.ts";
import type { Body } from "../run/response.ts";
import { already, asyncTest, missingParameter, type TestOptions, test, withOperand, withSecretOperand } from "../run/steps/check.ts";
import { asyncPasses, passes } from "../run/steps/filter.ts";
import type { AssertSpec, TestResult, Verdict } from "../run/verdict.ts";
import type { Json } from "../value/json.ts";
import { readings } from "../value/reading.ts";
import { jsonBody, textBody, valueBody } from "../value/text-body.ts";
import { string, text } from "../value/values.ts";
import { evaluate, evaluated, evaluateLater, inOrder, part, type Scope, type Staged } from "./evaluate.ts";
import { heard } from "./observer.ts";

// The tests of the interpreter: the same calls as those that compiler/6-print/tests.ts prints.

/** Runs stage 1: once per plan for static arguments, per run when they hold a marker. */
export function stage<Ready>(feature: Staged<Ready>, args: Expr, scope: Scope, native?: string): Ready {
  const prepare = prepareOf(feature, native);
  if (args.op !== "lit") return prepare(evaluate(args, scope));
  if (!scope.ready.has(args)) scope.ready.set(args, prepare(args.value));
  return scope.ready.get(args) as Ready; // arguments of a plan belong to one feature
}

/** Stage 1 of arguments that may wait. */
export const stageLater = <Ready>(feature: Staged<Ready>, args: Expr, scope: Scope, native?: string): Ready | Promise<Ready> =>
  args.waits ? evaluateLater(args, scope).then(prepareOf(feature, native)) : stage(feature, args, scope, native);

/** Without `prepare` the arguments are ready as they stand. */
function prepareOf<Ready>({ prepare = (value) => value as Ready, native }: Staged<Ready>, source?: string): (args: unknown) => Ready {
  if (source === undefined) return prepare;
  if (native === undefined) throw new Error("the module lacks a form for patterns of JavaScript");
  return (args) => native(args, new RegExp(source, "u"));
}

/** The results of the tests of an assert without a matcher that waits. */
export const results = (assert: AssertPlan, scope: Scope): readonly TestResult[] => assert.tests.map((plan) => oneTest(plan, scope));

export function oneTest(plan: TestPlan, scope: Scope): TestResult {
  const result = test(plan.label, evaluate(plan.target, scope), (target) => verdicts(plan, target, scope), testOptions(plan, scope));
  return heard(result, plan, scope.observer);
}

/** True when the scope's item passes all tests, like the printed predicate of a `filter`. */
export const keeps = (tests: readonly TestPlan[], scope: Scope): boolean =>
  tests.every((plan) => {
    const passed = isMet(plan, scope);
    scope.observer?.test(plan, passed);
    return passed;
  });

function isMet(plan: TestPlan, scope: Scope): boolean {
  const target = evaluate(plan.target, scope);
  const [only] = plan.matchers;
  if (!plan.plain || only === undefined) return passes(target, (of) => verdicts(plan, of, scope));
  const matcher = part(scope.parts.matchers, only.use);
  if (matcher.holds === undefined) throw new Error(`the module lacks the plain form of ${only.use}`);
  return matcher.holds(target, stage(matcher, only.operand, scope, only.native));
}

export async function asyncKeeps(tests: readonly TestPlan[], scope: Scope): Promise<boolean> {
  for (const plan of tests) {
    const target = await targetOf(plan, scope);
    const passed = plan.waits
      ? await asyncPasses(target, (target) => asyncVerdicts(plan, target, scope))
      : passes(target, (target) => verdicts(plan, target, scope));
    scope.observer?.test(plan, passed);
    if (!passed) return false;
  }
  return true;
}

/** Runs one test after the other, in the order of the printed list. */
export async function asyncResults(assert: AssertPlan, scope: Scope): Promise<readonly TestResult[]> {
  const out: TestResult[] = [];
  for (const plan of assert.tests) out.push(plan.waits ? await asyncOneTest(plan, scope) : oneTest(plan, scope));
  return out;
}

export async function asyncOneTest(plan: TestPlan, scope: Scope): Promise<TestResult> {
  const options = testOptions(plan, scope);
  const result = await asyncTest(plan.label, await targetOf(plan, scope), (target) => asyncVerdicts(plan, target, scope), options);
  return heard(result, plan, scope.observer);
}

const targetOf = ({ target }: TestPlan, scope: Scope): Json | Promise<Json> => evaluated(target, scope);

function verdicts(plan: TestPlan, target: Json, scope: Scope): Readonly<Record<string, Verdict>> {
  if (plan.required && isAbsent(plan, target, scope)) return missingParameter;
  if (isSpared(plan, target, scope)) return {};
  return Object.fromEntries(
    plan.matchers.map((matcher) => [matcher.use, settled(verdict(matcher, matcherOptions(matcher, plan, scope), target, scope))]),
  );
}

/** True when a parameter is missing. This depends on the parameter's value only, whatever the target of its test is. */
const isAbsent = (plan: TestPlan, target: Json, scope: Scope): boolean =>
  (plan.target.op === "data" ? target : evaluate({ op: "data" }, scope)) === null;

const isSpared = (plan: TestPlan, target: Json, scope: Scope): boolean =>
  (plan.optional && target === null) || (plan.spares === true && isAbsent(plan, target, scope));

async function asyncVerdicts(plan: TestPlan, target: Json, scope: Scope): Promise<Readonly<Record<string, Verdict>>> {
  if (plan.required && isAbsent(plan, target, scope)) return missingParameter;
  const out: Record<string, Verdict> = {};
  if (isSpared(plan, target, scope)) return out;
  for (const matcher of plan.matchers) {
    const operand = matcher.operand.waits ? await evaluateLater(matcher.operand, scope) : undefined;
    const answer = verdict(matcher, await asyncOptions(matcher, plan, scope), target, scope, operand);
    out[matcher.use] = matcher.waits ? await answer : settled(answer);
  }
  return out;
}

/** `awaited` is the operand, where it had to wait. */
function verdict(
  plan: MatcherPlan,
  options: MatcherOptions | undefined,
  target: Json,
  scope: Scope,
  awaited?: Json,
): Verdict | Promise<Verdict> {
  const matcher = part(scope.parts.matchers, plan.use);
  const seen = plan.bare ? credentials(target) : target;
  const run = (ready: unknown): Verdict | Promise<Verdict> =>
    matcher.inRun ? matcher.run(seen, ready, scope.cx, options) : matcher.run(seen, ready, options);
  const staged = (operand: Json): Verdict | Promise<Verdict> => run(prepareOf(matcher)(operand));
  if (!plan.dynamic && !plan.secret) return awaited === undefined ? run(stage(matcher, plan.operand, scope, plan.native)) : staged(awaited);
  const operand = awaited ?? evaluate(plan.operand, scope);
  return plan.dynamic ? withOperand(operand, staged, plan.secret, plan.markers) : withSecretOperand(operand, staged);
}

function matcherOptions(
  { values, leaves, reads, isValue }: MatcherPlan,
  { case_insensitive, result_key }: TestPlan,
  scope: Scope,
): MatcherOptions | undefined {
  if (!case_insensitive && !reads && !isValue && result_key === undefined && values === undefined && leaves === undefined) return undefined;
  return {
    ...(reads === undefined ? {} : { reading: readings[reads] }),
    ...(case_insensitive ? { case_insensitive } : {}),
    ...(isValue === undefined ? {} : { isValue }),
    ...(result_key === undefined ? {} : { result_key }),
    ...(values === undefined ? {} : { values: values.map((value) => evaluate(value, scope)) }),
    ...(leaves === undefined ? {} : { leaves: leafTests(leaves, scope) }),
  };
}

/** The options of a matcher whose leaves have values or tests that wait: these are evaluated before the matcher needs them. */
async function asyncOptions(plan: MatcherPlan, test: TestPlan, scope: Scope): Promise<MatcherOptions | undefined> {
  const { leaves = {}, values = [], ...rest } = plan;
  if (![...values, ...Object.values(leaves)].some(({ waits }) => waits)) return matcherOptions(plan, test, scope);
  return {
    ...matcherOptions(rest, test, scope),
    ...(plan.values === undefined ? {} : { values: await inOrder(values, (value) => evaluateLater(value, scope)) }),
    ...(plan.leaves === undefined ? {} : { leaves: Object.fromEntries(await inOrder(Object.entries(leaves), leafLater(scope))) }),
  };
}

const leafLater =
  (scope: Scope) =>
  async ([path, leaf]: readonly [string, TestPlan]): Promise<readonly [string, () => TestResult]> => [
    path,
    leaf.waits ? already(await asyncOneTest(leaf, scope)) : () => oneTest(leaf, scope),
  ];

function leafTests(leaves: Readonly<Record<string, TestPlan>>, scope: Scope): NonNullable<MatcherOptions["leaves"]> {
  return Object.fromEntries(Object.entries(leaves).map(([path, plan]) => [path, () => oneTest(plan, scope)]));
}

function testOptions(plan: TestPlan, scope: Scope): TestOptions {
  const { error_message, http_code_on_error, http_response } = plan;
  return {
    ...(error_message === undefined ? {} : { error_message: () => string(evaluate(error_message, scope)) }),
    ...(http_code_on_error === undefined ? {} : { http_code_on_error }),
    ...(plan.hide_errors ? { hide_errors: true } : {}),
    ...(http_response === undefined ? {} : { http_response: () => body(http_response, scope) }),
  };
}

/** A whole response body. */
export const body = (plan: BodyPlan, scope: Scope): Body => bodyOf(plan, evaluate(plan.of, scope));

/** A whole response body with a part that waits. */
export const bodyLater = async (plan: BodyPlan, scope: Scope): Promise<Body> => bodyOf(plan, await evaluateLater(plan.of, scope));

function bodyOf(plan: BodyPlan, value: Json): Body {
  switch (plan.as) {
    case "json_text":
      return jsonBody(text(value));
    case "text":
      return textBody(text(value));
    case "value":
      return valueBody(value);
  }
}

/** Messages and codes of an assert. */
export function assertSpec(plan: AssertPlan, scope: Scope): AssertSpec {
  const { error_message, success_message, http_code_on_error, http_code_on_success } = plan;
  return {
    ...(error_message === undefined ? {} : { error_message: () => string(evaluate(error_message, scope)) }),
    ...(success_message === undefined ? {} : { success_message: () => string(evaluate(success_message, scope)) }),
    ...(http_code_on_error === undefined ? {} : { http_code_on_error }),
    ...(http_code_on_success === undefined ? {} : { http_code_on_success }),
  };
}

/** The value of an op that is not asynchronous. */
export function settled<V>(value: V | Promise<V>): V {
  if (value instanceof Promise) throw new Error("a synchronous op gave a promise");
  return value;
}
