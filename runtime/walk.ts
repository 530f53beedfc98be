import type { Act, ActSpec, Body, Condition, ShortReply } from "./act.ts";
import { jsonBody, textBody, valueBody } from "./body.ts";
import { type AssertSpec, asyncTest, check, given, type TestOptions, type TestResult, test } from "./check.ts";
import type { MatcherOptions, Verdict } from "./feature.ts";
import * as fill from "./fill.ts";
import { isObject, type Json, type JsonObject, own } from "./json.ts";
import { sql_identifier, sql_string, sql_value } from "./lib/sql-literal.ts";
import type { Filter } from "./markers/filters.ts";
import { timestamp } from "./markers/timestamp.ts";
import type {
  ActionPlan,
  AssertPlan,
  BodyPlan,
  Coercion,
  ConditionPlan,
  Expr,
  Fill,
  InterfacePlan,
  MatcherPlan,
  Op,
  Part,
  ShortReplyPlan,
  TestPlan,
} from "./plan.ts";
import type { Run } from "./run.ts";
import * as values from "./values.ts";
import { at, count, each, entries, entryKey, join, needed, reread, text } from "./values.ts";

type Staged = { readonly prepare?: (args: never) => unknown };
export type TransformPart = Staged & { readonly run: (data: Json, ready: never, act: Act) => Json | Promise<Json>; readonly async?: true };
export type MatcherPart = Staged &
  (
    | { readonly async?: never; readonly run: (target: Json, ready: never, options?: MatcherOptions) => Verdict }
    | { readonly async: true; readonly run: (target: Json, ready: never, cx: Run, options?: MatcherOptions) => Promise<Verdict> }
  );

/** The features a plan names. Only what it uses is handed in, so that a bundle stays slim. */
export interface Parts {
  readonly transforms?: Readonly<Record<string, TransformPart>>;
  readonly matchers?: Readonly<Record<string, MatcherPart>>;
  readonly actions?: Readonly<Record<string, (act: Act, args: never) => Promise<Json>>>;
  /** `database` actions, bound to their database. */
  readonly databases?: Readonly<Record<string, (act: Act, args: never) => Promise<Json>>>;
  readonly filters?: Readonly<Record<string, Filter>>;
}

/** What an expression may read. `data` is the action's own data; `act` is absent in the templates of the response. */
interface Scope {
  readonly cx: Run;
  readonly parts: Parts;
  readonly acts: Map<string, Act>;
  readonly act?: Act;
  readonly data?: Json;
  /** Stage 1 of static arguments, kept for the life of the plan. */
  readonly ready: WeakMap<Expr, unknown>;
}

const prepared = new WeakMap<InterfacePlan, WeakMap<Expr, unknown>>();

/** The interpreter: drives a run from its plan with the same calls that the printed module makes. */
export function walk(plan: InterfacePlan, cx: Run, parts: Parts): void {
  const scope: Scope = { cx, parts, acts: new Map(), ready: readyOf(plan) };
  for (const action of plan.actions) {
    scope.acts.set(
      action.name,
      cx.act(action.name, actSpec(action, scope), (act) => attempt(action.ops, { ...scope, act })),
    );
  }
  if (plan.declared !== undefined) cx.declare(...plan.declared.map((name) => actOf(name, scope)));
  const { assert, response } = plan;
  if (assert !== undefined) cx.assert(assertSpec(assert, scope), (data) => results(assert, { ...scope, data }));
  const { headers, custom_body } = response;
  if (headers !== undefined || custom_body !== undefined) {
    cx.respond({
      ...(headers === undefined ? {} : { headers: () => object(evaluate(headers, scope)) }),
      ...(custom_body === undefined ? {} : { custom_body: () => body(custom_body, scope) }),
    });
  }
}

function readyOf(plan: InterfacePlan): WeakMap<Expr, unknown> {
  const found = prepared.get(plan) ?? new WeakMap<Expr, unknown>();
  prepared.set(plan, found);
  return found;
}

/** Awaits only where an op is asynchronous, as the printed module does: concurrent actions interleave alike on both paths. */
function attempt(ops: readonly Op[], scope: Scope): Json | Promise<Json> {
  return ops.some((op) => waits(op, scope.parts))
    ? attemptAsync(ops, scope)
    : ops.reduce<Json>((data, op) => settled(step(op, data, scope)), null);
}

async function attemptAsync(ops: readonly Op[], scope: Scope): Promise<Json> {
  let data: Json = null;
  for (const op of ops) {
    const next = step(op, data, scope);
    data = next instanceof Promise ? await next : next;
  }
  return data;
}

function settled<V>(value: V | Promise<V>): V {
  if (value instanceof Promise) throw new Error("a synchronous op gave a promise");
  return value;
}

function waits(op: Op, parts: Parts): boolean {
  switch (op.op) {
    case "take":
      return false;
    case "check":
      return op.assert.tests.some((test) => isAsync(test, parts));
    case "call":
    case "query":
      return true;
    case "shape":
      return part(parts.transforms, op.use).async === true;
  }
}

const isAsync = ({ matchers }: TestPlan, parts: Parts): boolean => matchers.some(({ use }) => part(parts.matchers, use).async === true);

function step(op: Op, data: Json, outer: Scope): Json | Promise<Json> {
  const scope = { ...outer, data };
  switch (op.op) {
    case "take":
      return evaluate(op.from, scope);
    case "call":
      // Arguments were checked against the action's schema when compiling, or coerced while they were evaluated.
      return part(scope.parts.actions, op.use)(running(scope), evaluate(op.args, scope) as never);
    case "query":
      return part(scope.parts.databases, op.database)(running(scope), evaluate(op.args, scope) as never);
    case "check":
      return waits(op, scope.parts)
        ? asyncResults(op.assert, scope).then((results) => check(running(scope), data, assertSpec(op.assert, scope), results))
        : check(running(scope), data, assertSpec(op.assert, scope), results(op.assert, scope));
    case "shape": {
      const act = running(scope);
      const transform = part(scope.parts.transforms, op.use);
      const ready = stage(transform, op.args, scope);
      return transform.run(act.step(op.use, data), ready, act);
    }
  }
}

/** Stage 1: once per plan for static arguments, per run when they hold a marker. */
function stage(feature: Staged, args: Expr, scope: Scope): never {
  const prepare = feature.prepare ?? ((value: never) => value);
  if (args.op !== "lit") return prepare(evaluate(args, scope) as never) as never;
  if (!scope.ready.has(args)) scope.ready.set(args, prepare(args.value as never));
  return scope.ready.get(args) as never;
}

function results(assert: AssertPlan, scope: Scope): readonly TestResult[] {
  return assert.tests.map((plan) =>
    test(plan.label, evaluate(plan.target, scope), (target) => verdicts(plan, target, scope), testOptions(plan, scope)),
  );
}

/** One test after the other, as the printed list is evaluated. */
async function asyncResults(assert: AssertPlan, scope: Scope): Promise<readonly TestResult[]> {
  const out: TestResult[] = [];
  for (const plan of assert.tests) {
    const target = evaluate(plan.target, scope);
    const options = testOptions(plan, scope);
    out.push(
      isAsync(plan, scope.parts)
        ? await asyncTest(plan.label, target, (target) => asyncVerdicts(plan, target, scope), options)
        : test(plan.label, target, (target) => verdicts(plan, target, scope), options),
    );
  }
  return out;
}

function verdicts(plan: TestPlan, target: Json, scope: Scope): Record<string, Verdict> {
  if (plan.optional && target === null) return {};
  return Object.fromEntries(plan.matchers.map((matcher) => [matcher.use, settled(verdict(matcher, plan, target, scope))]));
}

async function asyncVerdicts(plan: TestPlan, target: Json, scope: Scope): Promise<Record<string, Verdict>> {
  const out: Record<string, Verdict> = {};
  if (plan.optional && target === null) return out;
  for (const matcher of plan.matchers) {
    const said = verdict(matcher, plan, target, scope);
    out[matcher.use] = said instanceof Promise ? await said : said;
  }
  return out;
}

function verdict(plan: MatcherPlan, test: TestPlan, target: Json, scope: Scope): Verdict | Promise<Verdict> {
  const matcher = part(scope.parts.matchers, plan.use);
  const options = matcherOptions(test);
  const said = (ready: never): Verdict | Promise<Verdict> =>
    matcher.async ? matcher.run(target, ready, scope.cx, options) : matcher.run(target, ready, options);
  if (!plan.dynamic) return said(stage(matcher, plan.operand, scope));
  const prepare = matcher.prepare ?? ((value: never) => value);
  return given(evaluate(plan.operand, scope), (operand) => said(prepare(operand as never) as never));
}

function matcherOptions({ case_insensitive, result_key }: TestPlan): MatcherOptions | undefined {
  if (!case_insensitive && result_key === undefined) return undefined;
  return { ...(case_insensitive ? { case_insensitive } : {}), ...(result_key === undefined ? {} : { result_key }) };
}

function testOptions(plan: TestPlan, scope: Scope): TestOptions {
  const { error_message, http_code_on_error } = plan;
  return {
    ...(error_message === undefined ? {} : { error_message: () => text(evaluate(error_message, scope)) }),
    ...(http_code_on_error === undefined ? {} : { http_code_on_error }),
    ...(plan.hide_errors ? { hide_errors: true } : {}),
  };
}

function assertSpec(plan: AssertPlan, scope: Scope): AssertSpec {
  const { error_message, success_message, http_code_on_error, http_code_on_success } = plan;
  return {
    ...(error_message === undefined ? {} : { error_message: () => text(evaluate(error_message, scope)) }),
    ...(success_message === undefined ? {} : { success_message: () => text(evaluate(success_message, scope)) }),
    ...(http_code_on_error === undefined ? {} : { http_code_on_error }),
    ...(http_code_on_success === undefined ? {} : { http_code_on_success }),
  };
}

function actSpec(action: ActionPlan, scope: Scope): ActSpec {
  const { run_when_succeeded, run_when_failed, depends_on, run_on_assertion } = action.gates;
  const { response_on_success, response_on_error } = action;
  return {
    ...(run_when_succeeded === undefined ? {} : { run_when_succeeded: condition(run_when_succeeded, scope) }),
    ...(run_when_failed === undefined ? {} : { run_when_failed: condition(run_when_failed, scope) }),
    ...(depends_on === undefined ? {} : { depends_on: condition(depends_on, scope) }),
    ...(run_on_assertion === undefined ? {} : { run_on_assertion: () => results(run_on_assertion, scope) }),
    ...(action.reads.length === 0 ? {} : { reads: action.reads.map((name) => actOf(name, scope)) }),
    ...action.hide,
    ...(response_on_success === undefined
      ? {}
      : { response_on_success: (act) => shortReply(response_on_success, { ...scope, act, data: act.data }) }),
    ...(response_on_error === undefined
      ? {}
      : { response_on_error: (act) => shortReply(response_on_error, { ...scope, act, data: act.data }) }),
  };
}

function condition({ actions, ...rest }: ConditionPlan, scope: Scope): Condition {
  return { actions: actions.map((name) => actOf(name, scope)), ...rest };
}

function shortReply(plan: ShortReplyPlan, scope: Scope): ShortReply {
  return {
    ...(plan.http_code === undefined ? {} : { http_code: plan.http_code }),
    ...(plan.headers === undefined ? {} : { headers: object(evaluate(plan.headers, scope)) }),
    ...(plan.body === undefined ? {} : { body: body(plan.body, scope) }),
  };
}

function body(plan: BodyPlan, scope: Scope): Body {
  const value = evaluate(plan.of, scope);
  switch (plan.as) {
    case "json_text":
      return jsonBody(text(value));
    case "text":
      return textBody(text(value));
    case "value":
      return valueBody(value);
  }
}

/** Evaluates an expression of the plan; compiler/5-print/exprs.ts prints the same calls, case by case. */
export function evaluate(e: Expr, s: Scope): Json {
  switch (e.op) {
    case "lit":
      return e.value;
    case "root":
      return root(e.root, e.name, s);
    case "action":
      return actOf(e.name, s).data;
    case "data":
      return s.data ?? null;
    case "at":
      return at(evaluate(e.of, s), ...e.path);
    case "count":
      return count(evaluate(e.of, s));
    case "each":
      return each(evaluate(e.of, s), ...e.path);
    case "or":
      return evaluate(e.of, s) ?? evaluate(e.instead, s);
    case "filter":
      return part(s.parts.filters, e.use).run(
        evaluate(e.of, s),
        e.args.map((arg) => evaluate(arg, s)),
        now(s),
      );
    case "text":
      return e.parts.map((part) => filled(part, s)).join("");
    case "join":
      return join(...e.items.map((item) => evaluate(item, s)));
    case "reread":
      return reread(evaluate(e.of, s));
    case "typed":
      return e.required ? needed(coerce(e.as, evaluate(e.of, s), e.field), e.field, e.as) : coerce(e.as, evaluate(e.of, s), e.field);
    case "list":
      return e.items.map((item) => evaluate(item, s));
    case "map":
      return entries(
        ...e.entries.map(([key, value]) => [typeof key === "string" ? key : entryKey(evaluate(key, s)), evaluate(value, s)] as const),
      );
  }
}

function root(name: string, argument: string | undefined, s: Scope): Json {
  switch (name) {
    case "body":
    case "raw_body":
    case "params":
    case "headers":
    case "ip":
    case "request":
      return s.cx[name];
    case "env":
    case "var":
    case "ap_var":
      return s.cx[name](argument ?? "");
    case "uuid":
      return s.cx.uuid();
    case "timestamp":
      return timestamp(now(s), argument ?? "s");
    default:
      throw new Error(`unknown root ${name}`);
  }
}

const fills: Readonly<Record<Fill | "raw", (value: Json, dialect: string) => string>> = {
  ...fill,
  text,
  raw: text,
  sql_value,
  sql_string,
  sql_identifier,
};

function filled(part: Part, s: Scope): string {
  return typeof part === "string" ? part : fills[part.fill](evaluate(part.of, s), part.dialect ?? "");
}

function coerce(as: Coercion, value: Json, field: string): Json {
  switch (as) {
    case "string":
      return values.string(value);
    case "number":
    case "integer":
    case "boolean":
    case "strings":
      return values[as](value, field);
    case "duration":
      return values.milliseconds(value, field);
    case "seconds":
      return values.milliseconds(value, field, 1000);
  }
}

const now = (s: Scope): number => s.act?.now ?? s.cx.host.now();

const object = (value: Json): JsonObject => (isObject(value) ? value : {});

function actOf(name: string, s: Scope): Act {
  const act = s.acts.get(name);
  if (act === undefined) throw new Error(`the plan starts ${name} too late`);
  return act;
}

function running(s: Scope): Act {
  if (s.act === undefined) throw new Error("an op outside an action");
  return s.act;
}

function part<V>(table: Readonly<Record<string, V>> | undefined, name: string): V {
  const found = table === undefined ? undefined : own(table, name);
  if (found === undefined) throw new Error(`the module lacks ${name}`);
  return found;
}
