import type { InterfacePlan } from "#runtime/plan/index.ts";
import { type Member, narrowed, nothing, object, type Shape, union } from "#runtime/shapes/shape.ts";
import { listShape } from "./actions.ts";
import { exprShape } from "./exprs.ts";
import { replyShape } from "./replies.ts";
import { rootsOf, withRequest } from "./roots.ts";
import type { ListShape, LoopShape, Notes, ShapeScope } from "./scope.ts";
import { afterTests, visitTests } from "./tests.ts";

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
  readonly loop?: { readonly item: Shape; readonly actions: ReadonlyMap<string, ActionShapes> };
}

/** Interprets the plan of an interface over shapes instead of values. What it notices on the way goes to `note`. */
export function shapesOf(plan: InterfacePlan, note: Notes): InterfaceShapes {
  const first = rootsOf(plan);
  const base: ShapeScope = { roots: first, actions: new Map(), succeeded: new Set(), note, list: listShape, at: plan.at };
  const params = paramsShape(plan, base);
  const roots = withRequest(new Map([...first, ["params", params]]));
  const scope: ShapeScope = { ...base, roots };
  const list = listShape(plan, scope);
  const after: ShapeScope = { ...scope, actions: list.actions };
  if (plan.assert !== undefined) visitTests(plan.assert, after);
  if (plan.log !== undefined) exprShape(plan.log.msg, after);
  return { body: roots.get("body") ?? nothing, params, actions: actionShapes(list), reply: replyShape(plan, list, after) };
}

const actionShapes = ({ actions, loops }: ListShape): ReadonlyMap<string, ActionShapes> =>
  new Map([...actions].map(([name, shape]) => [name, { ...shape, ...loopShapes(loops.get(name)) }]));

const loopShapes = (loop: LoopShape | undefined): Pick<ActionShapes, "loop"> =>
  loop === undefined ? {} : { loop: { item: loop.item, actions: actionShapes(loop.list) } };

/** The effective values of the declared parameters, beside those that nobody has declared (spec/language 6.6). */
function paramsShape(plan: InterfacePlan, scope: ShapeScope): Shape {
  const given = scope.roots.get("params") ?? nothing;
  if (given.type !== "object") return given;
  const members = new Map<string, Member>(given.members);
  for (const { name, value, validate, at } of plan.params) {
    const inner: ShapeScope = { ...scope, at: at ?? scope.at };
    const shape = exprShape(value, inner);
    const tested = validate === undefined ? shape : afterTests([validate], shape, { ...inner, data: shape });
    members.set(name, { shape: validate?.required ? narrowed(tested, ({ type }) => type !== "null") : union(tested) });
  }
  return object(members, given.rest);
}
