import type { ActionListPlan, ActionPlan, ConditionPlan, GatePlan } from "#runtime/plan/index.ts";
import { nothing, union } from "#runtime/shapes/shape.ts";
import { bodyShape } from "./bodies.ts";
import { exprShape } from "./exprs.ts";
import { attemptShape } from "./ops.ts";
import type { ActionShape, ListShape, LoopShape, ShapeScope } from "./scope.ts";
import { visitTests } from "./tests.ts";

/** The shapes of a list of actions. One never comes before one that it reads. */
export function listShape({ actions }: ActionListPlan, outer: ShapeScope): ListShape {
  const shapes = new Map<string, ActionShape>();
  const loops = new Map<string, LoopShape>();
  const certain = new Map<string, ReadonlySet<string>>();
  for (const action of actions) {
    const succeeded = succeededBefore(action.gates, certain);
    certain.set(action.name, succeeded);
    const scope: ShapeScope = { ...outer, actions: shapes, succeeded, self: action.name, at: action.at };
    const { loop, ...shape } = actionShape(action, scope);
    shapes.set(action.name, shape);
    if (loop !== undefined) loops.set(action.name, loop);
  }
  return { actions: shapes, loops };
}

/** The actions without whose success this one does not run, and theirs. */
function succeededBefore({ run_when_succeeded }: GatePlan, certain: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  if (run_when_succeeded === undefined || !needsAll(run_when_succeeded)) return new Set();
  return new Set(run_when_succeeded.actions.flatMap((name) => [name, ...(certain.get(name) ?? [])]));
}

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
