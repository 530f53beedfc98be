import type { Expr, InterfacePlan } from "#runtime/plan/index.ts";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import { type Shape, shapeOf, union } from "#runtime/shapes/shape.ts";
import type { Step } from "#runtime/value/json.ts";
import { follow, type Slip, slipIn } from "./follow.ts";
import type { Example, ShapeScope } from "./scope.ts";

/** The body that the example and the schema of an interface describe; undefined when there are none, or when the schema is enforced. */
export function exampleOf({ accepts, contract: { input, accepted, input_example }, actions }: InterfacePlan): Example | undefined {
  if (accepts !== undefined || (accepted === undefined && input_example === undefined)) return undefined;
  const schema = accepted === undefined || input === undefined ? [] : [schemaShape(input)];
  const example = input_example === undefined ? [] : [shapeOf(input_example)];
  return { body: union(...schema, ...example), actions: new Set(actions.filter(takesBody).map(({ name }) => name)) };
}

/** True for an action whose data are always the whole body. */
function takesBody({ ops: [source, ...others] }: InterfacePlan["actions"][number]): boolean {
  const isBody = source?.op === "take" && source.from.op === "root" && source.from.root === "body";
  return isBody && others.every((op) => op.op === "check" && op.adds !== true);
}

/** A misspelt step in a path into the body, where the shape `of` has no such member. */
export function slipOfExample(e: Extract<Expr, { op: "at" }>, of: Shape, scope: ShapeScope): Slip | undefined {
  if (scope.example === undefined || scope.outer !== undefined || !readsBody(e.of, scope.example, scope)) return undefined;
  const slip = slipIn(scope.example.body, e.path);
  return slip === undefined || isNamed(of, e.path, slip.depth) ? undefined : slip;
}

function readsBody(e: Expr, { actions }: Example, { self = "" }: ShapeScope): boolean {
  if (e.op === "root") return e.root === "body";
  if (e.op === "action") return (e.up ?? 0) === 0 && actions.has(e.name);
  return e.op === "data" && actions.has(self);
}

/** True when the shape has a member of that name at the step. */
function isNamed(shape: Shape, [step, ...rest]: readonly Step[], depth: number): boolean {
  if (step === undefined || shape.type === "any") return false;
  if (depth > 0) return isNamed(follow(shape, [step]).shape, rest, depth - 1);
  return (shape.type === "union" ? shape.of : [shape]).some((one) => one.type === "object" && one.members.has(String(step)));
}
