import type { ActionListPlan, ActionPlan, ConditionPlan, GatePlan, Op } from "#runtime/plan/index.ts";
import { meet } from "#runtime/shapes/meet.ts";
import { any, isNever, nothing, type Shape, union } from "#runtime/shapes/shape.ts";
import { bodyShape } from "./bodies.ts";
import { exprShape } from "./exprs.ts";
import { attemptShape } from "./ops.ts";
import type { ActionShape, ListShape, LoopShape, ShapeScope } from "./scope.ts";
import { bodyAfter, visitTests } from "./tests.ts";

/** The shapes of a list of actions. One never comes before one that it reads. */
export function listShape({ actions }: ActionListPlan, outer: ShapeScope): ListShape {
  const shapes = new Map<string, ActionShape>();
  const loops = new Map<string, LoopShape>();
  const certain = new Map<string, ReadonlySet<string>>();
  const bodies = new Map<string, Shape>();
  for (const action of actions) {
    const succeeded = succeededBefore(action.gates, certain);
    certain.set(action.name, succeeded);
    // Each action hands on the facts about the body that actions before it have proven.
    const before = succeeded.size === 0 ? [] : (action.gates.run_when_succeeded?.actions ?? []);
    const body = before.reduce((left, name) => meet(left, bodies.get(name) ?? any), outer.roots.get("body") ?? any);
    const ownBody = bodyAfter(action.gates.run_on_assertion?.tests ?? [], body, false);
    const scope: ShapeScope = {
      ...outer,
      roots: withBody(outer.roots, ownBody),
      actions: shapes,
      succeeded,
      self: action.name,
      at: action.at,
    };
    const { loop, ...shape } = actionShape(action, scope);
    shapes.set(action.name, shape);
    bodies.set(action.name, provenBody(action.ops, ownBody));
    if (loop !== undefined) loops.set(action.name, loop);
  }
  return { actions: shapes, loops };
}

/** The body of a run in which an action has succeeded: its tests have passed. */
function provenBody([source, ...rest]: readonly Op[], body: Shape): Shape {
  const isBody = source?.op === "take" && source.from.op === "root" && source.from.root === "body";
  // Behind a transform, and with members that a test has found, the data are no longer the body.
  const changed = rest.findIndex((op) => op.op !== "check" || op.adds === true);
  return rest.reduce((left, op, i) => {
    if (op.op !== "check") return left;
    return bodyAfter(op.assert.tests, left, isBody && (changed < 0 || i < changed));
  }, body);
}

/** The actions without whose success this one does not run, and theirs. */
function succeededBefore({ run_when_succeeded }: GatePlan, certain: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  if (run_when_succeeded === undefined || !needsAll(run_when_succeeded)) return new Set();
  return new Set(run_when_succeeded.actions.flatMap((name) => [name, ...(certain.get(name) ?? [])]));
}

/** Tests that contradict each other say nothing: the action that reads the body never runs. */
const withBody = (roots: ReadonlyMap<string, Shape>, body: Shape): ReadonlyMap<string, Shape> =>
  isNever(body) || body === roots.get("body") ? roots : new Map([...roots, ["body", body]]);

const needsAll = ({ actions, at_least }: ConditionPlan): boolean => at_least === undefined || at_least >= actions.length;

function actionShape(action: ActionPlan, scope: ShapeScope): ActionShape & { readonly loop?: LoopShape } {
  const { gates, ops, timeout, stream } = action;
  if (gates.run_on_assertion !== undefined) visitTests(gates.run_on_assertion, { ...scope, succeeded: new Set() });
  const { data, kept, loop } = attemptShape(ops, scope);
  const seen = union(data, kept, nothing);
  for (const part of [timeout, stream]) if (part !== undefined) exprShape(part, scope);
  visitAround(action, { ...scope, data: seen });
  return { data, seen, ...(loop === undefined ? {} : { loop }) };
}

/** The messages and answers of an action, which see its own data. */
function visitAround({ logs, response_on_success, response_on_error }: ActionPlan, scope: ShapeScope): void {
  for (const line of Object.values(logs).flat()) exprShape(line.msg, scope);
  for (const reply of [response_on_success, response_on_error]) {
    if (reply?.headers !== undefined) exprShape(reply.headers, scope);
    if (reply?.body !== undefined) bodyShape(reply.body, scope);
  }
}
