import type jsep from "jsep";
import { Failure } from "../failure.ts";
import { type Json, type JsonObject, own } from "../json.ts";
import { text } from "../values.ts";
import { round } from "./decimal.ts";
import { type Field, node, parseExpression, refused, type Tree } from "./expression-syntax.ts";
import { type Key, valueBelow } from "./nodes.ts";
import { numeric } from "./target.ts";

/** What an expression, or a part of it, comes to. Text that is a JSON number counts as that number where one is needed. */
export type Scalar = number | string | boolean;

/** What an expression may name: the members of the target by `target.<path>`, and the values of its markers by `$0`, `$1`, … */
export interface Given {
  readonly target: JsonObject;
  readonly values: readonly Json[];
}

/** An expression that can be calculated. Throws `Failure`. */
export type Calculation = (given: Given) => Scalar;

/** Stage 1 of an expression: what is not in the language is PW513. */
export const calculation = (text: string): Calculation => compile(parseExpression(text));

function compile(tree: Tree): Calculation {
  switch (tree.type) {
    case "Literal":
      return literal(tree);
    case "SequenceExpression":
      return group(tree);
    case "Field":
      return field(tree);
    case "UnaryExpression":
      return unary(tree);
    case "BinaryExpression":
      return binary(tree);
    case "CallExpression":
      return call(tree);
    case "Identifier":
      if (/^\$\d+$/.test(tree.name)) return marker(Number(tree.name.slice(1)));
      throw refused(
        tree.name === "target" ? "write target.<field>" : `'${tree.name}' is not known; a field is written target.${tree.name}`,
      );
    case "Compound":
      throw refused(tree.body.length === 0 ? "it is empty" : "an operator is missing");
    case "ConditionalExpression":
      throw refused("'?' is not in the language; write if(condition, a, b)");
    case "MemberExpression":
      throw refused("only fields, written target.<field>, have members");
    case "ArrayExpression":
    case "ThisExpression":
      throw refused("it holds more than numbers, text, fields, operators and functions");
  }
}

function literal({ value, raw }: jsep.Literal): Calculation {
  if (typeof value === "number" && !Number.isFinite(value)) throw refused(`${raw} is too large`);
  if (typeof value !== "number" && typeof value !== "string" && typeof value !== "boolean")
    throw refused(`'${raw}' is not in the language`);
  return () => value;
}

function group({ expressions }: jsep.SequenceExpression): Calculation {
  const [only, second] = expressions;
  if (only === undefined || second !== undefined) throw refused("parentheses hold one expression");
  return compile(node(only));
}

function field({ steps }: Field): Calculation {
  const fixed = steps.filter((step) => typeof step !== "object");
  if (fixed.length === steps.length) return ({ target }) => fieldAt(target, fixed);
  return ({ target, values }) =>
    fieldAt(
      target,
      steps.map((step) => (typeof step === "object" ? text(values[step.marker] ?? null) : step)),
    );
}

function fieldAt(target: JsonObject, keys: readonly Key[]): Scalar {
  const value = valueBelow(target, keys, false) ?? null;
  if (value !== null) return operand(value);
  const shown = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  throw new Failure("transform", `target${shown} is missing`);
}

/** The value of a marker is an operand, whatever it looks like. */
function marker(index: number): Calculation {
  return ({ values }) => {
    const value = values[index] ?? null;
    if (value === null) throw new Failure("transform", "a marker is not set");
    return operand(value);
  };
}

function operand(value: Exclude<Json, null>): Scalar {
  if (typeof value === "object") throw notNumber();
  return value;
}

function unary({ operator, argument }: jsep.UnaryExpression): Calculation {
  const value = compile(node(argument));
  if (operator === "-") return (given) => -number(value(given));
  if (operator === "!") return (given) => !boolean(value(given));
  throw refused(`operator '${operator}' is not in the language`);
}

function binary({ operator, left, right }: jsep.BinaryExpression): Calculation {
  const first = node(left);
  // `^` binds tighter than the sign before it, which jsep has given to its left operand.
  if (operator === "^" && first.type === "UnaryExpression") {
    return unary({ ...first, argument: { type: "BinaryExpression", operator, left: first.argument, right } });
  }
  const a = compile(first);
  const b = compile(node(right));
  const calculate = own(arithmetic, operator);
  if (calculate !== undefined) return (given) => finite(calculate(number(a(given)), number(b(given))));
  const compare = own(comparisons, operator);
  if (compare !== undefined) return (given) => compare(number(a(given)), number(b(given)));
  const decide = own(decisions, operator);
  if (decide === undefined) throw refused(`operator '${operator}' is not in the language`);
  return (given) => decide(a, b, given);
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / divisor(b),
  "%": (a, b) => a % divisor(b),
  "^": (a, b) => a ** b,
};

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** What takes any type, or need not look at both sides. */
const decisions: Readonly<Record<string, (a: Calculation, b: Calculation, given: Given) => boolean>> = {
  "==": (a, b, given) => isSame(a(given), b(given)),
  "!=": (a, b, given) => !isSame(a(given), b(given)),
  "&&": (a, b, given) => boolean(a(given)) && boolean(b(given)),
  "||": (a, b, given) => boolean(a(given)) || boolean(b(given)),
};

const functions: Readonly<Record<string, (first: number, ...others: readonly number[]) => number>> = {
  min: Math.min,
  max: Math.max,
  abs: (value) => Math.abs(value),
  floor: (value) => Math.floor(value),
  ceil: (value) => Math.ceil(value),
  round: (value) => round(value, 0),
  sqrt: (value) => Math.sqrt(value),
};

function call(tree: jsep.CallExpression): Calculation {
  const callee = node(tree.callee);
  const name = callee.type === "Identifier" ? callee.name : "";
  const args = tree.arguments.map((argument) => compile(node(argument)));
  if (name === "if") return choice(args);
  const run = own(functions, name);
  if (run === undefined) throw refused(`function '${name}' is not known; there are ${Object.keys(functions).join(", ")} and if`);
  const [first, ...others] = args;
  if (first === undefined || (others.length > 0 && name !== "min" && name !== "max")) throw refused(`${name} takes one argument`);
  return (given) => finite(run(number(first(given)), ...others.map((other) => number(other(given)))));
}

/** Only the branch that is taken is calculated: the other may divide by zero. */
function choice([condition, yes, no, more]: readonly Calculation[]): Calculation {
  if (condition === undefined || yes === undefined || no === undefined || more !== undefined) throw refused("if takes three arguments");
  return (given) => (boolean(condition(given)) ? yes(given) : no(given));
}

/** An operand that must be a number. */
export function number(value: Scalar): number {
  const found = numeric(value);
  if (!Number.isFinite(found)) throw notNumber();
  return found;
}

const notNumber = (): Failure => new Failure("transform", "operand is not a number");

function boolean(value: Scalar): boolean {
  if (typeof value !== "boolean") throw new Failure("transform", "operand is not a boolean");
  return value;
}

function isSame(a: Scalar, b: Scalar): boolean {
  const [x, y] = [numeric(a), numeric(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a === b : x === y;
}

function divisor(value: number): number {
  if (value === 0) throw new Failure("transform", "division by zero");
  return value;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Failure("transform", "result is not a finite number");
  return value;
}
