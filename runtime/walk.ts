import type { Act, ActSpec, Body, Condition, ShortReply } from "./act.ts";
import { jsonBody, textBody, valueBody } from "./body.ts";
import { check } from "./check.ts";
import { actOf, evaluate, object, type Parts, part, type Scope } from "./evaluate.ts";
import type { Json } from "./json.ts";
import { assertSpec, asyncResults, judgesAsync, oneTest, results, settled, stage } from "./judge.ts";
import { logs } from "./logs.ts";
import { type LookupOptions, lookup } from "./lookup.ts";
import { type Param, params } from "./params.ts";
import { type Choice, pick } from "./pick.ts";
import type {
  ActionListPlan,
  ActionPlan,
  BodyPlan,
  ChoicePlan,
  ConditionPlan,
  Expr,
  InterfacePlan,
  LogPlan,
  LookupPlan,
  Op,
  ParamPlan,
  ShortReplyPlan,
} from "./plan.ts";
import { retry } from "./retry.ts";
import type { Run } from "./run.ts";
import { timeout } from "./timeout.ts";
import { milliseconds, text } from "./values.ts";

export type { Parts } from "./evaluate.ts";

const prepared = new WeakMap<InterfacePlan, WeakMap<Expr, unknown>>();

/** The interpreter: drives a run from its plan with the same calls that the printed module makes. */
export function walk(plan: InterfacePlan, cx: Run, parts: Parts): void {
  const scope: Scope = { cx, parts, acts: new Map(), ready: readyOf(plan) };
  if (
    plan.params.length > 0 &&
    !params(
      cx,
      plan.params.map((param) => paramOf(param, scope)),
    )
  )
    return;
  walkActions(plan, scope);
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

/** Starts the actions of a list in the run of the scope. */
function walkActions({ actions, declared }: ActionListPlan, scope: Scope): void {
  const { cx, acts } = scope;
  for (const action of actions) {
    acts.set(
      action.name,
      cx.act(action.name, actSpec(action, scope), (act) => attempt(action.ops, { ...scope, act })),
    );
  }
  if (declared !== undefined) cx.declare(...declared.map((name) => actOf(name, scope)));
}

function paramOf({ name, value, validate }: ParamPlan, scope: Scope): Param {
  return {
    name,
    value: () => evaluate(value, scope),
    ...(validate === undefined ? {} : { validate: (data) => oneTest(validate, { ...scope, data }) }),
  };
}

function readyOf(plan: InterfacePlan): WeakMap<Expr, unknown> {
  const found = prepared.get(plan) ?? new WeakMap<Expr, unknown>();
  prepared.set(plan, found);
  return found;
}

/** Awaits only where an op is asynchronous, as the printed module does: concurrent actions interleave alike on both paths. */
function attempt(ops: readonly Op[], scope: Scope): Json | Promise<Json> {
  const own = ownData(ops);
  if (ops.some((op) => waits(op, scope.parts))) return attemptAsync(ops, own, scope);
  return ops.reduce<Json>((data, op) => settled(step(op, data, { ...scope, data: own(op, data) })), null);
}

async function attemptAsync(ops: readonly Op[], own: OwnData, scope: Scope): Promise<Json> {
  let data: Json = null;
  for (const op of ops) {
    const next = step(op, data, { ...scope, data: own(op, data) });
    data = next instanceof Promise ? await next : next;
  }
  return data;
}

type OwnData = (op: Op, data: Json) => Json;

/** What expressions of an op read as the action's own data: that of the moment, but for transforms that before the first of them (transforms.md 1). */
function ownData(ops: readonly Op[]): OwnData {
  const first = ops.find(({ op }) => op === "shape");
  let before: Json = null;
  return (op, data) => {
    if (op === first) before = data;
    return op.op === "shape" ? before : data;
  };
}

function waits(op: Op, parts: Parts): boolean {
  switch (op.op) {
    case "take":
    case "pick":
      return false;
    case "check":
      return judgesAsync(op.assert, parts);
    case "call":
    case "query":
    case "lookup":
      return true;
    case "shape":
      return part(parts.transforms, op.use).async === true;
  }
}

function step(op: Op, data: Json, scope: Scope): Json | Promise<Json> {
  switch (op.op) {
    case "take":
      return evaluate(op.from, scope);
    case "pick":
      return pick(...op.choices.map((choice) => choiceOf(choice, scope)));
    case "call":
      // Arguments were checked against the action's schema when compiling, or coerced while they were evaluated.
      return part(scope.parts.actions, op.use)(running(scope), evaluate(op.args, scope) as never);
    case "query":
      return part(scope.parts.databases, op.database)(running(scope), evaluate(op.args, scope) as never);
    case "lookup":
      return lookup(running(scope), evaluate(op.over, scope), lookupOptions(op.options, scope), (cx) =>
        walkActions(op.body, { cx, parts: scope.parts, acts: new Map(), ready: scope.ready }),
      );
    case "check":
      return waits(op, scope.parts)
        ? asyncResults(op.assert, scope).then((results) => check(running(scope), data, assertSpec(op.assert, scope), results))
        : check(running(scope), data, assertSpec(op.assert, scope), results(op.assert, scope));
    case "shape": {
      const act = running(scope);
      const transform = part(scope.parts.transforms, op.use);
      const shown = act.step(op.use, data);
      return transform.run(shown, stage(transform, op.args, scope), act);
    }
  }
}

function choiceOf({ input, tests }: ChoicePlan, scope: Scope): Choice {
  return {
    input: () => evaluate(input, scope),
    ...(tests === undefined ? {} : { tests: (data) => results(tests, { ...scope, data }) }),
  };
}

function lookupOptions({ inherit, item_timeout, ...rest }: LookupPlan, scope: Scope): LookupOptions {
  return {
    ...rest,
    ...(inherit === undefined ? {} : { inherit: object(evaluate(inherit, scope)) }),
    ...(item_timeout === undefined ? {} : { item_timeout: milliseconds(evaluate(item_timeout, scope), "item_timeout") }),
  };
}

function actSpec(action: ActionPlan, scope: Scope): ActSpec {
  const { run_when_succeeded, run_when_failed, depends_on, run_on_assertion } = action.gates;
  const { response_on_success, response_on_error, timeout: limit } = action;
  return {
    ...(run_when_succeeded === undefined ? {} : { run_when_succeeded: condition(run_when_succeeded, scope) }),
    ...(run_when_failed === undefined ? {} : { run_when_failed: condition(run_when_failed, scope) }),
    ...(depends_on === undefined ? {} : { depends_on: condition(depends_on, scope) }),
    ...(run_on_assertion === undefined ? {} : { run_on_assertion: () => results(run_on_assertion, scope) }),
    ...(action.reads.length === 0 ? {} : { reads: action.reads.map((name) => actOf(name, scope)) }),
    ...action.hide,
    ...(action.retry === undefined ? {} : { retry: retry(action.retry) }),
    ...(limit === undefined ? {} : { timeout: timeout((act) => milliseconds(evaluate(limit, { ...scope, act }), "timeout")) }),
    ...Object.fromEntries(
      Object.entries(action.logs).map(([moment, lines]: [string, readonly LogPlan[]]) => [
        moment,
        (act: Act) => log(lines, { ...scope, act, data: act.data }),
      ]),
    ),
    ...(response_on_success === undefined
      ? {}
      : { response_on_success: (act) => shortReply(response_on_success, { ...scope, act, data: act.data }) }),
    ...(response_on_error === undefined
      ? {}
      : { response_on_error: (act) => shortReply(response_on_error, { ...scope, act, data: act.data }) }),
  };
}

function log(lines: readonly LogPlan[], scope: Scope): void {
  logs(
    running(scope),
    lines.map(({ level, msg }) => ({ level, msg: () => evaluate(msg, scope) })),
  );
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

function running(s: Scope): Act {
  if (s.act === undefined) throw new Error("an op outside an action");
  return s.act;
}
