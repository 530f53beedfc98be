import type { ActionListPlan, InterfacePlan, Op } from "#runtime/plan/index.ts";
import { nothing, type Shape } from "#runtime/shapes/shape.ts";
import { listShape } from "./actions.ts";
import { exprShape } from "./exprs.ts";
import { ParameterReads, paramsShape } from "./parameters.ts";
import { readingsIn, shapeRead } from "./readings.ts";
import { replyShape } from "./replies.ts";
import { rootsOf, withRequest } from "./roots.ts";
import type { ListShape, LoopShape, ShapeScope } from "./scope.ts";
import { visitTests } from "./tests.ts";

/** The values that flow through an interface, as far as they are known before anything runs. */
export interface InterfaceShapes {
  readonly body: Shape;
  readonly params: Shape;
  readonly actions: ReadonlyMap<string, ActionShapes>;
  /** The body of an answer that nothing has refused. */
  readonly reply: Shape;
}

/** The data of an action: after success, and as others see them after any end. */
export interface ActionShapes {
  readonly data: Shape;
  readonly seen: Shape;
  /** The narrower of both in which everything that others read is there; absent where nobody reads them, or looks for what is not there. */
  readonly read?: Shape;
  readonly loop?: { readonly item: Shape; readonly actions: ReadonlyMap<string, ActionShapes> };
}

/** Whatever the interfaces of a configuration share. */
export type Surroundings = Pick<ShapeScope, "note" | "speaks" | "described">;

/** Interprets the plan of an interface over shapes instead of values. The mistakes that it meets go to `note`. */
export function shapesOf(plan: InterfacePlan, { note, speaks, described }: Surroundings): InterfaceShapes {
  const first = rootsOf(plan);
  const parameters = new ParameterReads();
  const base: ShapeScope = {
    roots: first,
    actions: new Map(),
    succeeded: new Set(),
    note,
    parameters,
    speaks,
    described,
    list: listShape,
    at: plan.at,
  };
  const params = paramsShape(plan, base);
  const roots = withRequest(new Map([...first, ["params", params]]));
  const scope: ShapeScope = { ...base, roots };
  const list = listShape(plan, scope);
  const after: ShapeScope = { ...scope, actions: list.actions };
  if (plan.assert !== undefined) visitTests(plan.assert, after);
  if (plan.log !== undefined) exprShape(plan.log.msg, after);
  const reply = replyShape(plan, list, after);
  parameters.judge(plan, note);
  return { body: roots.get("body") ?? nothing, params, actions: actionShapes(plan, list), reply };
}

function actionShapes(plan: ActionListPlan, { actions, loops }: ListShape): ReadonlyMap<string, ActionShapes> {
  const readings = readingsIn(plan);
  const all = plan.actions.flatMap(({ name, ops }): [string, ActionShapes][] => {
    const shape = actions.get(name);
    if (shape === undefined) return [];
    const read = shapeRead(shape, readings.get(name) ?? []);
    return [[name, { ...shape, ...(read === undefined ? {} : { read }), ...loopShapes(ops, loops.get(name)) }]];
  });
  return new Map(all);
}

function loopShapes(ops: readonly Op[], loop: LoopShape | undefined): Pick<ActionShapes, "loop"> {
  const op = ops.find((each) => each.op === "lookup");
  return op === undefined || loop === undefined ? {} : { loop: { item: loop.item, actions: actionShapes(op.body, loop.list) } };
}
