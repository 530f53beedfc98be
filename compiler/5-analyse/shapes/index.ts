import type { ActionListPlan, AssertPlan, InterfacePlan, Op } from "#runtime/plan/index.ts";
import { any, nothing, type Shape } from "#runtime/shapes/shape.ts";
import { maySkip } from "../../4-plan/inference/readings.ts";
import { present } from "../../present.ts";
import { listShape } from "./actions.ts";
import { exampleOf } from "./examples.ts";
import { exprShape } from "./exprs.ts";
import { ParameterReads, paramsShape } from "./parameters.ts";
import { type Proven, provenByTests } from "./proven.ts";
import { bodyReadings, readingsIn, shapeRead } from "./readings.ts";
import { replyShape } from "./replies.ts";
import { rootsOf, withRequest } from "./roots.ts";
import type { ListShape, LoopShape, ShapeScope } from "./scope.ts";
import { visitTests } from "./tests.ts";

/** The shapes of the values that flow through an interface, as far as they are known before a run. */
export interface InterfaceShapes {
  readonly body: Shape;
  readonly params: Shape;
  /** True when no reading of the body leads nowhere. */
  readonly followsBody: boolean;
  readonly actions: ReadonlyMap<string, ActionShapes>;
  /** The body of an answer below 400. */
  readonly reply: Shape;
}

/** The shapes of the data of an action: after success (`data`), and as other parts see them after any end (`seen`). */
export interface ActionShapes {
  readonly data: Shape;
  readonly seen: Shape;
  /**
   * The shape that a printed type has: `data` if it has all values that are read, else `seen`. Absent when the data are never read, or when
   * a reading leads nowhere.
   */
  readonly read?: Shape;
  readonly loop?: { readonly item: Shape; readonly actions: ReadonlyMap<string, ActionShapes> };
}

/** The shapes that the interfaces of a configuration share. */
export type ShapeSurroundings = Pick<ShapeScope, "note" | "watch" | "speaks" | "described">;

/** Interprets the plan of an interface over shapes instead of values. Mistakes go to `note`. */
export function shapesOf(plan: InterfacePlan, { note, watch, speaks, described }: ShapeSurroundings): InterfaceShapes {
  const first = rootsOf(plan);
  const parameters = new ParameterReads();
  const base: ShapeScope = {
    roots: first,
    actions: new Map(),
    example: exampleOf(plan),
    succeeded: new Set(),
    note,
    watch,
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
  const reply = replyShape(plan, ...afterAssert(plan, list, after));
  parameters.judge(plan, note);
  const body = roots.get("body") ?? nothing;
  const readings = readingsIn(plan);
  const followsBody = shapeRead({ data: body, seen: body }, readings.get(bodyReadings) ?? []) !== undefined;
  return { body, params, followsBody, actions: actionShapes(plan, list, readings), reply };
}

/** The list and the scope for an answer below 400, in which the tests of the interface have passed (spec/language 6.2). */
function afterAssert(plan: InterfacePlan, list: ListShape, scope: ShapeScope): readonly [ListShape, ShapeScope] {
  const { actions, declared, assert, response } = plan;
  if (assert === undefined || codesOfRefusal(assert, response).some((code) => code < 400)) return [list, scope];
  const last = declared?.at(-1) ?? actions.at(-1)?.name;
  const isSure = actions.some((action) => action.name === last && !maySkip(action));
  const before: Proven = { body: scope.roots.get("body") ?? any, actions: new Map() };
  const place = isSure && last !== undefined ? { action: last, path: [] } : undefined;
  const proven = provenByTests(assert.tests, before, (name) => list.actions.get(name), place);
  return [
    { ...list, actions: new Map([...list.actions, ...proven.actions]) },
    { ...scope, proven: proven.actions },
  ];
}

const codesOfRefusal = ({ tests, http_code_on_error }: AssertPlan, response: InterfacePlan["response"]): readonly number[] =>
  [http_code_on_error, response.http_code_on_error, response.http_code_fallback, ...tests.map((test) => test.http_code_on_error)].filter(
    (code) => code !== undefined,
  );

function actionShapes(plan: ActionListPlan, { actions, loops }: ListShape, readings = readingsIn(plan)): ReadonlyMap<string, ActionShapes> {
  const all = plan.actions.flatMap(({ name, ops }): [string, ActionShapes][] => {
    const shape = actions.get(name);
    if (shape === undefined) return [];
    const read = shapeRead(shape, readings.get(name) ?? []);
    return [[name, { ...shape, ...present({ read }), ...loopShapes(ops, loops.get(name)) }]];
  });
  return new Map(all);
}

function loopShapes(ops: readonly Op[], loop: LoopShape | undefined): Pick<ActionShapes, "loop"> {
  const op = ops.find((each) => each.op === "lookup");
  return op === undefined || loop === undefined ? {} : { loop: { item: loop.item, actions: actionShapes(op.body, loop.list) } };
}
