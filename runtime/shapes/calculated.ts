import { type FieldStep, parseExpression, type Tree } from "../languages/expression-syntax.ts";
import { Reject } from "../value/failure.ts";
import { own } from "../value/json.ts";
import { onlyValue } from "./arguments.ts";
import { memberAt, withMember } from "./edit.ts";
import { valueIn } from "./place.ts";
import { anyObject, boolean, byType, isNever, never, number, type ObjectShape, type Shape, string, union } from "./shape.ts";

/** The form of results of `math`. */
export interface Formed {
  readonly type: unknown;
  readonly isRounded: boolean;
  readonly isText: boolean;
}

const scalars: Readonly<Record<string, Shape>> = { number, string, boolean };
const scalar = union(...Object.values(scalars));

/**
 * The shape of an object with members that expressions calculate, one after the other. Without a form the type of the results is unknown.
 */
export function calculatedShape(row: ObjectShape, expressions: Shape, form: Formed | undefined): Shape {
  if (expressions.type !== "object") return anyObject;
  const start = expressions.rest === undefined ? row : anyObject;
  return [...expressions.members].reduce(
    (target: Shape, [name, { shape }]) =>
      byType(target, (one) => (one.type === "object" ? withMember(one, name, { shape: resultShape(shape, one, form) }) : one)),
    start,
  );
}

function resultShape(expression: Shape, target: ObjectShape, form: Formed | undefined): Shape {
  const textShape = byType(expression, (one) => (one.type === "object" ? memberAt(one, "text").shape : one));
  const text = onlyValue(textShape);
  const tree = typeof text === "string" ? parsed(text) : undefined;
  const result = tree === undefined ? scalar : shapeOf(tree, target);
  return isNever(result) ? never : formed(result, form);
}

function formed(result: Shape, form: Formed | undefined): Shape {
  if (form === undefined) return scalar;
  if (form.isText) return string;
  if (form.type === "bool") return boolean;
  if (form.type === "int" || form.type === "float") return number;
  return form.isRounded ? byType(result, (one) => (one.type === "string" ? union(string, number) : one)) : result;
}

function parsed(text: string): Tree | undefined {
  try {
    return parseExpression(text);
  } catch (error) {
    if (error instanceof Reject) return undefined;
    throw error;
  }
}

const numeric: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "^"]);

/** The type of the result of an expression; `never` when it reads a missing field. */
function shapeOf(tree: Tree, target: ObjectShape): Shape {
  switch (tree.kind) {
    case "literal":
      return typeof tree.value === "number" ? number : typeof tree.value === "string" ? string : boolean;
    case "marker":
    case "name":
      return scalar;
    case "field":
      return fieldShape(tree.steps, target);
    case "group":
      return shapeOf(tree.of, target);
    case "call":
      return tree.name === "if" ? union(...tree.args.slice(1).map((one) => shapeOf(one, target))) : number;
    case "sign":
      return tree.operator === "-" ? number : boolean;
    case "operation":
      return numeric.has(tree.operator) ? number : boolean;
  }
}

function fieldShape(steps: readonly FieldStep[], target: ObjectShape): Shape {
  const keys = steps.filter((step) => typeof step !== "object");
  if (keys.length < steps.length) return scalar;
  // The known values of a field do not hold for the result, which may be rounded; only their type does.
  return byType(valueIn(target, keys, false).shape, ({ type }) => own(scalars, type) ?? never);
}
