import type { ActionListPlan, ActionPlan, ConditionPlan, GatePlan } from "#runtime/plan/index.ts";
import { any, nothing, type Shape, union } from "#runtime/shapes/shape.ts";
import { present } from "../../present.ts";
import { bodyShape } from "./bodies.ts";
import { exprShape } from "./exprs.ts";
import { attemptShape } from "./ops.ts";
import { allOf, type Proven, provenBy, provenByGate } from "./proven.ts";
import type { ActionShape, ListShape, LoopShape, ShapeScope, Succeeded } from "./scope.ts";
import { visitTests } from "./tests.ts";

/** The shapes of a list of actions. No action comes before an action that it reads. */
export function listShape({ actions }: ActionListPlan, outer: ShapeScope): ListShape {
  const shapes = new Map<string, ActionShape>();
  const loops = new Map<string, LoopShape>();
  const certain = new Map<string, Succeeded>();
  const facts = new Map<string, Proven>();
  const dataOf = (name: string): ActionShape | undefined => shapes.get(name);
  const bodyOfRun = outer.roots.get("body") ?? any;
  for (const action of actions) {
    const succeeded = succeededBefore(action.gates, certain);
    certain.set(action.name, succeeded);
    // Each action passes on the facts that actions before it have proven.
    const values = provenByGate(
      action,
      allOf(
        [...succeeded.names].flatMap((name) => facts.get(name) ?? []),
        bodyOfRun,
      ),
      dataOf,
    );
    visitGate(action, { ...outer, actions: shapes, succeeded: none, self: action.name, at: action.at });
    const scope: ShapeScope = {
      ...outer,
      roots: withBody(outer.roots, values.body),
      actions: shapes,
      proven: values.actions,
      succeeded,
      self: action.name,
      at: action.at,
    };
    const { loop, ...shape } = actionShape(action, scope);
    shapes.set(action.name, shape);
    facts.set(action.name, provenBy(action.ops, values, dataOf));
    if (loop !== undefined) loops.set(action.name, loop);
  }
  return { actions: shapes, loops };
}

/**
 * The actions that must have succeeded before this action runs, directly or before one of those actions. They are looked for when somebody
 * asks: in a long chain of actions, the lists of all of them would take the square of its length.
 */
function succeededBefore({ run_when_succeeded }: GatePlan, certain: ReadonlyMap<string, Succeeded>): Succeeded {
  if (run_when_succeeded === undefined || !needsAll(run_when_succeeded)) return none;
  const names = new Set(run_when_succeeded.actions);
  return { names, has: (name) => names.has(name) || leadsTo(name, names, certain) };
}

const none: Succeeded = { names: new Set(), has: () => false };

/** True when the action has surely succeeded before one of the given ones. */
function leadsTo(wanted: string, names: ReadonlySet<string>, certain: ReadonlyMap<string, Succeeded>): boolean {
  const seen = new Set(names);
  for (const name of seen) {
    const { names: before } = certain.get(name) ?? none;
    if (before.has(wanted)) return true;
    for (const earlier of before) seen.add(earlier);
  }
  return false;
}

const withBody = (roots: ReadonlyMap<string, Shape>, body: Shape): ReadonlyMap<string, Shape> =>
  body === roots.get("body") ? roots : new Map([...roots, ["body", body]]);

const needsAll = ({ actions, at_least }: ConditionPlan): boolean => at_least === undefined || at_least >= actions.length;

/** Visits the tests of a gate, which run when nothing is known yet about the success of other actions. */
function visitGate({ gates }: ActionPlan, scope: ShapeScope): void {
  if (gates.run_on_assertion !== undefined) visitTests(gates.run_on_assertion, scope);
}

function actionShape(action: ActionPlan, scope: ShapeScope): ActionShape & { readonly loop?: LoopShape } {
  const { ops, timeout, stream } = action;
  const { data, kept, loop } = attemptShape(ops, scope);
  const seen = union(data, kept, nothing);
  for (const part of [timeout, stream]) if (part !== undefined) exprShape(part, scope);
  visitAround(action, { ...scope, data: seen });
  return { data, seen, ...present({ loop }) };
}

/** The messages and answers of an action, which see its own data. */
function visitAround({ logs, response_on_success, response_on_error }: ActionPlan, scope: ShapeScope): void {
  for (const line of Object.values(logs).flat()) exprShape(line.msg, scope);
  for (const reply of [response_on_success, response_on_error]) {
    if (typeof reply?.http_code === "object") exprShape(reply.http_code, scope);
    if (reply?.headers !== undefined) exprShape(reply.headers, scope);
    if (reply?.body !== undefined) bodyShape(reply.body, scope);
  }
}
