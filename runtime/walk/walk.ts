import { type NodePath, nodePath } from "../paths/path.ts";
import type { ActionListPlan, ActionPlan, ChoicePlan, Expr, InterfacePlan, LookupPlan, NestedPlan, Op, ParamPlan } from "../plan/index.ts";
import { asyncRespond } from "../run/end/async-response.ts";
import { admitAfter } from "../run/end/respond-after.ts";
import type { Run } from "../run/run.ts";
import { check } from "../run/steps/check.ts";
import { asyncFilter, filter } from "../run/steps/filter.ts";
import { type LookupOptions, lookup } from "../run/steps/lookup.ts";
import { asyncNested, nested } from "../run/steps/nested.ts";
import { type AsyncParam, asyncParams, type Param, params } from "../run/steps/params.ts";
import { type AsyncChoice, asyncPick, type Choice, pick } from "../run/steps/pick.ts";
import { asObject, type Json } from "../value/json.ts";
import { milliseconds, string } from "../value/values.ts";
import { actSpec, running, started } from "./act-spec.ts";
import { actOf, evaluate, evaluated, evaluateLater, inOrder, type Parts, part, type Scope, type Staged } from "./evaluate.ts";
import { observerOf } from "./observer.ts";
import {
  assertSpec,
  asyncKeeps,
  asyncOneTest,
  asyncResults,
  body,
  bodyLater,
  keeps,
  oneTest,
  results,
  settled,
  stage,
  stageLater,
} from "./tests.ts";

export type { Parts } from "./evaluate.ts";

const prepared = new WeakMap<InterfacePlan, WeakMap<Expr, unknown>>();

/** The interpreter: runs a plan with the same calls as the printed module. */
export function walk(plan: InterfacePlan, cx: Run, parts: Parts): void {
  const observer = observerOf(cx.host);
  observer?.begins(plan, cx);
  const scope: Scope = { cx, parts, acts: new Map(), ready: readyOf(plan), ...(observer === undefined ? {} : { observer }) };
  const { log: line } = plan;
  if (line !== undefined) cx.log({ ...line, level: started(line.level, scope), msg: () => evaluate(line.msg, scope) });
  if (plan.params.some(({ value, validate }) => value.waits || validate?.waits)) {
    const list = plan.params.map((param) => asyncParamOf(param, scope));
    asyncParams(cx, list, () => begin(plan, scope));
  } else if (
    plan.params.length === 0 ||
    params(
      cx,
      plan.params.map((param) => paramOf(param, scope)),
    )
  )
    begin(plan, scope);
}

function begin(plan: InterfacePlan, scope: Scope): void {
  const { cx } = scope;
  if (scope.parts.accepts?.(cx) === false) return;
  if (plan.respond_after !== undefined) admitAfter(cx, ...plan.respond_after);
  else if (plan.respond === "early" && !cx.admit()) return;
  walkActions(plan, scope);
  const { assert, response } = plan;
  if (assert !== undefined) {
    if (assert.waits) cx.asyncAssert(assertSpec(assert, scope), (data) => asyncResults(assert, { ...scope, data }));
    else cx.assert(assertSpec(assert, scope), (data) => results(assert, { ...scope, data }));
  }
  const { headers, custom_body, error_body } = response;
  if (headers !== undefined || custom_body !== undefined || error_body !== undefined) {
    if ([headers, custom_body?.of, error_body?.of].some((part) => part?.waits))
      asyncRespond(cx, {
        ...(headers === undefined ? {} : { headers: async () => asObject(await evaluateLater(headers, scope)) }),
        ...(custom_body === undefined ? {} : { custom_body: () => bodyLater(custom_body, scope) }),
        ...(error_body === undefined ? {} : { error_body: () => bodyLater(error_body, scope) }),
      });
    else
      cx.respond({
        ...(headers === undefined ? {} : { headers: () => asObject(evaluate(headers, scope)) }),
        ...(custom_body === undefined ? {} : { custom_body: () => body(custom_body, scope) }),
        ...(error_body === undefined ? {} : { error_body: () => body(error_body, scope) }),
      });
  }
}

/** Starts the actions of a list in the run of the scope. */
function walkActions({ actions, declared }: ActionListPlan, scope: Scope): void {
  const { cx, acts } = scope;
  for (const action of actions) {
    const act = cx.act(action.name, actSpec(action, scope), (act) => attempt(action, { ...scope, act }));
    scope.observer?.act(action, act);
    acts.set(action.name, act);
  }
  if (declared !== undefined) cx.writtenOrder(...declared.map((name) => actOf(name, scope)));
}

function paramOf(plan: ParamPlan, scope: Scope): Param {
  const { name, value, validate } = plan;
  return {
    name,
    value: () => evaluate(value, scope),
    ...messageOf(plan, scope),
    ...(validate === undefined ? {} : { validate: (data) => oneTest(validate, { ...scope, data }) }),
  };
}

function asyncParamOf(plan: ParamPlan, scope: Scope): AsyncParam {
  const { name, value, validate } = plan;
  const test = validate?.waits ? asyncOneTest : oneTest;
  return {
    name,
    value: () => evaluated(value, scope),
    ...messageOf(plan, scope),
    ...(validate === undefined ? {} : { validate: (data: Json) => test(validate, { ...scope, data }) }),
  };
}

function messageOf({ validate }: ParamPlan, scope: Scope): Pick<Param, "error_message"> {
  const message = validate?.error_message;
  return message === undefined ? {} : { error_message: () => string(evaluate(message, scope)) };
}

function readyOf(plan: InterfacePlan): WeakMap<Expr, unknown> {
  const stages = prepared.get(plan) ?? new WeakMap<Expr, unknown>();
  prepared.set(plan, stages);
  return stages;
}

/** Awaits only where the printed module does, so that concurrent actions interleave in the same way on both paths. */
function attempt({ ops, resumes }: ActionPlan, scope: Scope): Json | Promise<Json> {
  const own = ownData();
  if (resumes) return attemptAsync(ops, own, scope);
  let data: Json = null;
  for (const op of ops) {
    const next = step(op, data, { ...scope, data: own(op, data) });
    // An op that waits is the last one here.
    if (op.waits) return next;
    data = capture(op, settled(next), scope);
  }
  return data;
}

async function attemptAsync(ops: readonly Op[], own: OwnData, scope: Scope): Promise<Json> {
  let data: Json = null;
  for (const op of ops) {
    const next = step(op, data, { ...scope, data: own(op, data) });
    data = capture(op, op.waits ? await next : settled(next), scope);
  }
  return data;
}

type OwnData = (op: Op, data: Json) => Json;

/**
 * Gives the data that expressions of an op read as the action's own: the current data. For transforms it is the data before the first
 * transform (spec/transforms 1).
 */
function ownData(): OwnData {
  let before: Json = null;
  return (op, data) => {
    if ("keeps" in op) before = data;
    return "before" in op ? before : data;
  };
}

function step(op: Op, data: Json, scope: Scope): Json | Promise<Json> {
  switch (op.op) {
    case "take":
      return evaluated(op.from, scope);
    case "pick":
      return op.waits
        ? asyncPick(...op.choices.map((choice) => asyncChoiceOf(choice, scope)))
        : pick(...op.choices.map((choice) => choiceOf(choice, scope)));
    case "call":
      // Arguments were checked against the action's schema when compiling, or coerced while they were evaluated.
      return later(evaluated(op.args, scope), (args) => part(scope.parts.actions, op.use)(running(scope), args as never));
    case "query":
      return later(evaluated(op.args, scope), (args) => part(scope.parts.databases, op.database)(running(scope), args as never));
    case "lookup":
      return later(evaluated(op.over, scope), (over) => {
        const inner = (cx: Run): void => walkActions(op.body, { ...innerOf(scope), cx, acts: new Map(), outer: scope });
        return later(lookupOptions(op.options, scope), (options) => lookup(running(scope), over, options, inner));
      });
    case "check":
      return op.waits
        ? asyncResults(op.assert, scope).then((results) => check(running(scope), data, assertSpec(op.assert, scope), results))
        : check(running(scope), data, assertSpec(op.assert, scope), results(op.assert, scope));
    case "transform": {
      const act = running(scope);
      const transform = part(scope.parts.transforms, op.use);
      const before = act.step(op.use, data);
      return later(stageLater(transform, op.args, scope, op.native), (ready) => transform.run(before, ready, act));
    }
    case "filter": {
      const act = running(scope);
      const before = act.step("filter", data);
      return later(matchesOf(op, scope), ({ target, values }) => {
        const inner = (item: Json): Scope => ({ ...scope, item, values });
        return op.waits
          ? asyncFilter(act, before, target, (item) => asyncKeeps(op.tests, inner(item)))
          : filter(before, target, (item) => keeps(op.tests, inner(item)));
      });
    }
    case "nest":
      running(scope).step("nested_transforms", data);
      return op.waits
        ? op.lists.reduce<Promise<Json>>(async (before, plan) => nest(plan, await before, scope), Promise.resolve(data))
        : op.lists.reduce<Json>((before, plan) => settled(nest(plan, before, scope)), data);
  }
}

/** Notes the input of an action when its run is recorded. */
const capture = ({ op }: Op, data: Json, scope: Scope): Json =>
  scope.cx.interface.capture !== undefined && (op === "take" || op === "pick") ? running(scope).takes(data) : data;

/** The part of a scope that a loop hands on to its items. */
const innerOf = ({ parts, ready, observer }: Scope): Pick<Scope, "parts" | "ready" | "observer"> =>
  observer === undefined ? { parts, ready } : { parts, ready, observer };

const path: Staged<NodePath> = { prepare: nodePath };

/** Continues with a value, at once unless it is a promise. */
const later = <V, R>(value: V | Promise<V>, then: (value: V) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(then) : then(value);

/**
 * The path of a transform, and the values that are equal for all its elements or matches. An op without values of its own reads those of
 * the op around it.
 */
interface Matches {
  readonly target: NodePath;
  readonly values: readonly Json[];
}

function matchesOf(op: { readonly target: Expr; readonly values?: readonly Expr[] }, scope: Scope): Matches | Promise<Matches> {
  const { target, values = [] } = op;
  if (![target, ...values].some(({ waits }) => waits))
    return { target: stage(path, target, scope), values: op.values?.map((value) => evaluate(value, scope)) ?? scope.values ?? [] };
  return matchesLater(target, op.values, scope);
}

async function matchesLater(target: Expr, values: readonly Expr[] | undefined, scope: Scope): Promise<Matches> {
  const parsed: NodePath = await stageLater(path, target, scope);
  return {
    target: parsed,
    values: values === undefined ? (scope.values ?? []) : await inOrder(values, (value) => evaluateLater(value, scope)),
  };
}

/** One list of a `nested_transforms`. */
function nest(plan: NestedPlan, data: Json, scope: Scope): Json | Promise<Json> {
  const { body } = plan;
  const act = running(scope);
  return later(matchesOf(plan, scope), ({ target, values }) => {
    const inner: Scope = { ...scope, values };
    if (!plan.waits) return nested(act, data, target, (root) => body.reduce<Json>((before, op) => settled(step(op, before, inner)), root));
    return asyncNested(act, data, target, async (root) => {
      let out = root;
      for (const op of body) {
        const next = step(op, out, inner);
        out = op.waits ? await next : settled(next);
      }
      return out;
    });
  });
}

function choiceOf({ input, tests }: ChoicePlan, scope: Scope): Choice {
  return {
    input: () => evaluate(input, scope),
    ...(tests === undefined ? {} : { tests: (data) => results(tests, { ...scope, data }) }),
  };
}

function asyncChoiceOf({ tests, ...choice }: ChoicePlan, scope: Scope): AsyncChoice {
  const judged = tests?.waits ? asyncResults : results;
  return {
    input: () => evaluated(choice.input, scope),
    ...(tests === undefined ? {} : { tests: (data: Json) => judged(tests, { ...scope, data }) }),
  };
}

function lookupOptions(plan: LookupPlan, scope: Scope): LookupOptions | Promise<LookupOptions> {
  const { partition, concurrency, inherit, inherit_jq, item_timeout } = plan;
  const settings = {
    ...(partition === undefined ? {} : { partition }),
    ...(concurrency === undefined ? {} : { concurrency: started(concurrency, scope) }),
  };
  const optional = (value: Expr | undefined): Json | Promise<Json> => (value === undefined ? null : evaluated(value, scope));
  return later(optional(inherit), (all) =>
    later(optional(inherit_jq), (query) =>
      later(optional(item_timeout), (limit) => ({
        ...settings,
        ...(inherit === undefined ? {} : { inherit: asObject(all) }),
        ...(inherit_jq === undefined ? {} : { inherit_jq: asObject(query) }),
        ...(item_timeout === undefined ? {} : { item_timeout: milliseconds(limit, "item_timeout") }),
      })),
    ),
  );
}
