import type jsep from "jsep";
import { Failure } from "../failure.ts";
import { type JsonObject, own } from "../json.ts";
import { round } from "./decimal.ts";
import { node, parseExpression, refused } from "./expression-syntax.ts";
import { read, type ValuePath } from "./path.ts";
import { numeric } from "./target.ts";

/** What an expression, or a part of it, comes to. Text that is a JSON number counts as that number where one is needed. */
export type Scalar = number | string | boolean;

/** An expression over the members of an object, which it calls `target.<path>`. Throws `Failure`. */
export type Calculation = (target: JsonObject) => Scalar;

/** Stage 1 of an expression: what is not in the language is PW513. */
export const calculation = (text: string): Calculation => compile(parseExpression(text));

function compile(tree: jsep.CoreExpression): Calculation {
  switch (tree.type) {
    case "Literal":
      return literal(tree);
    case "SequenceExpression":
      return group(tree);
    case "MemberExpression":
      return field(tree);
    case "UnaryExpression":
      return unary(tree);
    case "BinaryExpression":
      return binary(tree);
    case "CallExpression":
      return call(tree);
    case "Identifier":
      throw refused(
        tree.name === "target" ? "write target.<field>" : `'${tree.name}' is not known; a field is written target.${tree.name}`,
      );
    case "Compound":
      throw refused(tree.body.length === 0 ? "it is empty" : "an operator is missing");
    case "ConditionalExpression":
      throw refused("'?' is not in the language; write if(condition, a, b)");
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

function field(tree: jsep.MemberExpression): Calculation {
  const steps = stepsTo(tree);
  const shown = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  const path: ValuePath = { text: shown, rooted: false, steps };
  return (target) => {
    const value = read(target, path) ?? null;
    if (value === null) throw new Failure("transform", `target${shown} is missing`);
    if (typeof value === "object") throw notNumber();
    return value;
  };
}

function stepsTo(tree: jsep.CoreExpression): (string | number)[] {
  if (tree.type === "Identifier" && tree.name === "target") return [];
  if (tree.type !== "MemberExpression" || tree.optional) throw refused("only fields, written target.<field>, have members");
  return [...stepsTo(node(tree.object)), stepOf(node(tree.property), tree.computed)];
}

/** `.name`, `["name"]`, `[0]` or, from the end, `[-1]`. */
function stepOf(property: jsep.CoreExpression, computed: boolean): string | number {
  if (property.type === "Identifier" && !computed) return property.name;
  const negative = property.type === "UnaryExpression" && property.operator === "-";
  const index = negative ? node(property.argument) : property;
  const value = index.type === "Literal" ? index.value : undefined;
  if (typeof value === "string" && !negative) return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return negative ? -value : value;
  throw refused("brackets hold an index or a quoted name");
}

function unary({ operator, argument }: jsep.UnaryExpression): Calculation {
  const value = compile(node(argument));
  if (operator === "-") return (target) => -number(value(target));
  if (operator === "!") return (target) => !boolean(value(target));
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
  if (calculate !== undefined) return (target) => finite(calculate(number(a(target)), number(b(target))));
  const compare = own(comparisons, operator);
  if (compare !== undefined) return (target) => compare(number(a(target)), number(b(target)));
  const decide = own(decisions, operator);
  if (decide === undefined) throw refused(`operator '${operator}' is not in the language`);
  return (target) => decide(a, b, target);
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
const decisions: Readonly<Record<string, (a: Calculation, b: Calculation, target: JsonObject) => boolean>> = {
  "==": (a, b, target) => isSame(a(target), b(target)),
  "!=": (a, b, target) => !isSame(a(target), b(target)),
  "&&": (a, b, target) => boolean(a(target)) && boolean(b(target)),
  "||": (a, b, target) => boolean(a(target)) || boolean(b(target)),
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
  return (target) => finite(run(number(first(target)), ...others.map((other) => number(other(target)))));
}

/** Only the branch that is taken is calculated: the other may divide by zero. */
function choice([condition, yes, no, more]: readonly Calculation[]): Calculation {
  if (condition === undefined || yes === undefined || no === undefined || more !== undefined) throw refused("if takes three arguments");
  return (target) => (boolean(condition(target)) ? yes(target) : no(target));
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
