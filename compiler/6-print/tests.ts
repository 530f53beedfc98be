import type { AssertPlan, BodyPlan, Expr, MatcherPlan, TestPlan } from "#runtime/plan/index.ts";
import { belowEachOther, block as brackets, type Code, code, deeper, empty, isShort, list, lit, mark, pair, property } from "./code.ts";
import { block, type ExprPlace, expr } from "./exprs.ts";
import { widthOf } from "./marks.ts";
import type { ActionPlace } from "./place.ts";
import { type FeatureUse, ready } from "./stage.ts";

// This file prints tests as the same calls that runtime/walk/tests.ts makes.

/** The word before an arrow function that gives the tests. */
export const asyncWord = ({ waits }: { readonly waits?: true }): Code => (waits ? code`async ` : empty);

/** Prints the messages and codes of an assert as the argument before its tests; empty when it has none. */
export function assertOptions(plan: AssertPlan, p: ExprPlace): Code[] {
  const options: Code[] = [];
  if (plan.http_code_on_error !== undefined) options.push(code`http_code_on_error: ${lit(plan.http_code_on_error)}`);
  if (plan.http_code_on_success !== undefined) options.push(code`http_code_on_success: ${lit(plan.http_code_on_success)}`);
  if (plan.error_message !== undefined) options.push(code`error_message: () => ${message(plan.error_message, p)}`);
  if (plan.success_message !== undefined) options.push(code`success_message: () => ${message(plan.success_message, p)}`);
  return options.length === 0 ? [] : [code`{ ${list(options)} }`];
}

/** Prints a message. A message of only a marker may be unset, and is then absent. */
export const message = (e: Expr, p: ExprPlace): Code => (e.op === "typed" && e.as === "string" ? expr(e, p) : textual(e, "string", p));

function textual(e: Expr, as: "string" | "text", p: ExprPlace): Code {
  const isText = e.op === "text" || (e.op === "lit" && typeof e.value === "string");
  return isText ? expr(e, p) : code`${p.imports.value(as)}(${expr(e, p)})`;
}

/** A whole response body; runtime/value/text-body.ts has the three forms. */
export function body(plan: BodyPlan, p: ExprPlace): Code {
  const helpers = { json_text: "jsonBody", text: "textBody", value: "valueBody" } as const;
  const value = plan.as === "text" ? textual(plan.of, "text", p) : expr(plan.of, p);
  return code`${p.imports.use(helpers[plan.as])}(${value})`;
}

/** Prints the tests, each on its own line. */
export function tests(plan: AssertPlan, p: ActionPlace): Code {
  return block(
    "[",
    plan.tests.map((test) => (inner) => oneTest(test, { ...p, ...inner })),
    "]",
    p,
  );
}

/** Prints one test of the list. */
export function oneTest(plan: TestPlan, p: ActionPlace): Code {
  const options: Code[] = [];
  if (plan.error_message !== undefined) options.push(code`error_message: () => ${message(plan.error_message, p)}`);
  if (plan.http_code_on_error !== undefined) options.push(code`http_code_on_error: ${lit(plan.http_code_on_error)}`);
  if (plan.hide_errors) options.push(code`hide_errors: true`);
  if (plan.http_response !== undefined) options.push(code`http_response: () => ${body(plan.http_response, p)}`);
  const [label, target] = [lit(plan.label), expr(plan.target, p)];
  const fn = code`${mark(plan.at)}${plan.waits ? code`await ${p.imports.use("asyncTest")}` : p.imports.use("test")}`;
  const matchers = matchersOf(plan, p);
  const around = (verdict: Code): Code[] => [label, target, verdict, ...(options.length === 0 ? [] : [code`{ ${list(options)} }`])];
  // The matchers are printed only once, because preparing one adds a constant to the module.
  const layouts = [
    code`${fn}(${list(around(verdicts(plan, matchers, isWide(matchers), p)))})`,
    ...(options.length === 0 ? [code`${fn}(${list(around(verdicts(plan, matchers, true, p)))})`] : []),
  ];
  const fitting = layouts.find((layout) => isShort(layout.split("\n", 1)[0] ?? "", p.indent));
  const further = around(verdicts(plan, matchers, isWide(matchers), p)).map((arg) => deeper(arg, "  "));
  return fitting ?? code`${fn}${brackets("(", further, ")", p.indent)}`;
}

const matchersOf = (plan: TestPlan, p: ActionPlace): readonly Code[] =>
  plan.matchers.map((matcher) => pair(property(matcher.use), code`${mark(matcher.at)}${oneMatcher(matcher, plan, p)}`));

/** True when a matcher has several lines, or when several matchers are too long for one line. */
const isWide = (matchers: readonly Code[]): boolean =>
  matchers.some((matcher) => matcher.includes("\n")) || (matchers.length > 1 && widthOf(list(matchers)) > longest);

/** Prints the verdicts of the matchers of a test about its target `t`; each on its own line if one line would be too long to read. */
function verdicts(plan: TestPlan, matchers: readonly Code[], isBroken: boolean, p: ExprPlace): Code {
  // A parameter is present when its own value is, even if its test looks at another value.
  const tested = plan.target.op === "data" ? code`t` : expr({ op: "data" }, p);
  const spared = sparedBy(plan, tested);
  if (plan.required && matchers.length === 0) return code`(t) => (${tested} === null ? ${missing(p)} : {})`;
  const further = matchers.map((matcher) => deeper(matcher, "  "));
  const verdict = isBroken ? brackets("{", further, "}", p.indent) : code`{ ${list(matchers)} }`;
  return code`${asyncWord(plan)}(t) => (${plan.required ? code`${tested} === null ? ${missing(p)} : ` : spared === undefined ? empty : code`${spared} ? {} : `}${verdict})`;
}

const missing = ({ imports }: ExprPlace): Code => imports.use("missingParameter");

/**
 * Prints the condition under which the test is skipped: the target is null and the test is optional, or the parameter is absent and
 * optional.
 */
function sparedBy({ optional, spares, target }: TestPlan, parameter: Code): Code | undefined {
  const isBoth = optional && spares === true && target.op !== "data";
  if (isBoth) return code`t === null || ${parameter} === null`;
  if (optional) return code`t === null`;
  return spares ? code`${parameter} === null` : undefined;
}

/** The most columns of matchers on one line. */
const longest = 100;

/**
 * Prints the arrow of a `filter`: one condition on each line, evaluated only when the condition before it has passed. Markers are evaluated
 * outside, so that the parameters of the arrow may have the names of actions.
 */
export function predicate(plans: readonly TestPlan[], p: ActionPlace): Code {
  const [only, ...more] = plans;
  if (only === undefined) return code` true`;
  if (more.length === 0) return code` ${condition(only, p)}`;
  const indent = `${p.indent}  `;
  return belowEachOther(
    plans.map((plan) => condition(plan, { ...p, indent })),
    " &&",
    indent,
  );
}

function condition(plan: TestPlan, p: ActionPlace): Code {
  const [only] = plan.matchers;
  if (plan.plain && only !== undefined)
    return code`${p.imports.holds(only.use)}(${list([expr(plan.target, p), ready(useOf(only), plan.label, p)])})`;
  const all = matchersOf(plan, p);
  const args = list([expr(plan.target, p), verdicts(plan, all, isWide(all), p)]);
  return plan.waits ? code`await ${p.imports.use("asyncPasses")}(${args})` : code`${p.imports.use("passes")}(${args})`;
}

const useOf = ({ use, operand, at }: MatcherPlan): FeatureUse => ({ kind: "matchers", feature: use, args: operand, at });

function oneMatcher(plan: MatcherPlan, test: TestPlan, p: ActionPlace): Code {
  const rest = [...(p.features.inRun(plan.use) ? [code`cx`] : []), ...(p.features.optioned(plan.use) ? matcherOptions(plan, test, p) : [])];
  const target = plan.bare ? code`${p.imports.use("credentials")}(t)` : code`t`;
  const fn = p.features.mayWait(plan.use) && !plan.waits ? p.imports.atOnce(plan.use) : p.imports.feature(plan.use);
  const call = (operand: Code): Code => code`${fn}(${list([target, operand, ...rest])})`;
  const prefix = plan.waits ? code`await ` : empty;
  if (!plan.dynamic && !plan.secret) return code`${prefix}${call(ready(useOf(plan), test.label, p))}`;
  const staged = p.features.staged("matchers", plan.use);
  const operand = staged ? code`${p.imports.prepare(plan.use)}(e)` : code`e`;
  const args = [expr(plan.operand, p), code`(e) => ${call(operand)}`];
  if (!plan.dynamic) return code`${prefix}${p.imports.use("withSecretOperand")}(${list(args)})`;
  const places = plan.markers?.map((place) => code`[${list(place.map((step) => lit(step)))}]`);
  const further = [
    ...(plan.secret || places !== undefined ? [lit(plan.secret === true)] : []),
    ...(places === undefined ? [] : [code`[${list(places)}]`]),
  ];
  return code`${prefix}${p.imports.use("withOperand")}(${list([...args, ...further])})`;
}

function matcherOptions(plan: MatcherPlan, { case_insensitive, result_key }: TestPlan, p: ActionPlace): readonly Code[] {
  const { values, leaves = {}, reads, isValue } = plan;
  const options: Code[] = [];
  if (reads !== undefined) options.push(code`reading: ${p.imports.use(reads)}`);
  if (case_insensitive) options.push(code`case_insensitive: true`);
  if (isValue) options.push(code`isValue: true`);
  if (result_key !== undefined) options.push(code`result_key: ${lit(result_key)}`);
  if (values !== undefined) options.push(code`values: [${list(values.map((value) => expr(value, p)))}]`);
  const inner = { ...p, indent: `${p.indent}  ` };
  const tests = Object.entries(leaves).map(([path, test]) => pair(property(path), leafTest(test, inner)));
  if (tests.length > 0) options.push(code`leaves: ${brackets("{", tests, "}", p.indent)}`);
  return options.length === 0 ? [] : [code`{ ${list(options)} }`];
}

/** Prints the test of a leaf. A test that waits is evaluated before the matcher calls it. */
const leafTest = (test: TestPlan, p: ActionPlace): Code =>
  test.waits ? code`${p.imports.use("already")}(${oneTest(test, p)})` : code`() => ${oneTest(test, p)}`;
