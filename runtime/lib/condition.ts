import type jsep from "jsep";
import { type Json, own } from "../json.ts";
import { equal } from "./equal.ts";
import { node, parseExpression, refused, type Tree } from "./expression-syntax.ts";
import { numeric } from "./target.ts";

/** Tells whether a condition holds for the values of its markers. */
export type Condition = (values: readonly Json[]) => boolean;

/** What a part comes to; undefined when its operator does not fit its operands: then nothing around it holds, not even its contrary. */
type Part = (values: readonly Json[]) => Json | undefined;

/**
 * Stage 1 of a condition (language.md 6.4 `expression`), whose markers stand in the text as `$0`, `$1`, …: what is not in the language is PW513.
 * It only ever combines values: no value is read as a part of the text.
 */
export function condition(text: string): Condition {
  const whole = compile(parseExpression(text));
  return (values) => truth(whole(values)) === true;
}

function compile(tree: Tree): Part {
  switch (tree.type) {
    case "Literal":
      return literal(tree);
    case "Identifier":
      return marker(tree.name);
    case "SequenceExpression":
      return group(tree);
    case "UnaryExpression":
      return unary(tree);
    case "BinaryExpression":
      return binary(tree);
    case "Compound":
      throw refused(tree.body.length === 0 ? "it is empty" : "an operator is missing");
    case "ArrayExpression":
    case "CallExpression":
    case "ConditionalExpression":
    case "Field":
    case "MemberExpression":
    case "ThisExpression":
      throw refused("it holds more than numbers, text, markers and operators");
  }
}

function literal({ value, raw }: jsep.Literal): Part {
  if (typeof value === "number" && !Number.isFinite(value)) throw refused(`${raw} is too large`);
  if (value instanceof RegExp) throw refused(`'${raw}' is not in the language`);
  return () => value;
}

function marker(name: string): Part {
  if (!/^\$\d+$/.test(name)) throw refused(`'${name}' is not known; text is written in quotes`);
  const index = Number(name.slice(1));
  return (values) => values[index] ?? null;
}

function group({ expressions }: jsep.SequenceExpression): Part {
  const [only, second] = expressions;
  if (only === undefined || second !== undefined) throw refused("parentheses hold one expression");
  return compile(node(only));
}

function unary({ operator, argument }: jsep.UnaryExpression): Part {
  const of = compile(node(argument));
  if (operator === "-") return (values) => finite(-number(of(values)));
  if (operator === "!") return (values) => not(truth(of(values)));
  throw refused(`operator '${operator}' is not in the language`);
}

function binary({ operator, left, right }: jsep.BinaryExpression): Part {
  const a = compile(node(left));
  const b = compile(node(right));
  const calculate = own(arithmetic, operator);
  if (calculate !== undefined) return (values) => finite(calculate(number(a(values)), number(b(values))));
  const compare = own(orders, operator);
  if (compare !== undefined) return (values) => ordered(a(values), b(values), compare);
  switch (operator) {
    case "==":
    case "!=": {
      const same = isNull(left) || isNull(right) ? equal : isSame;
      return (values) => {
        const decided = both(a(values), b(values), same);
        return operator === "==" ? decided : not(decided);
      };
    }
    // The right side only counts where the left one leaves it open.
    case "&&":
      return (values) => {
        const first = truth(a(values));
        return first === true ? truth(b(values)) : first;
      };
    case "||":
      return (values) => {
        const first = truth(a(values));
        return first === false ? truth(b(values)) : first;
      };
    default:
      throw refused(`operator '${operator}' is not in the language`);
  }
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

const orders: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

const number = (value: Json | undefined): number => (value === undefined ? Number.NaN : numeric(value));

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

/** Booleans, and their names: a parameter of a request is text. */
function truth(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : undefined;
}

const not = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);

/** Numbers by size, other texts by their characters; nothing else has an order. */
function ordered(
  a: Json | undefined,
  b: Json | undefined,
  compare: (a: number | string, b: number | string) => boolean,
): boolean | undefined {
  const [x, y] = [number(a), number(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return compare(x, y);
  const areWords = Number.isNaN(x) && Number.isNaN(y) && typeof a === "string" && typeof b === "string";
  return areWords ? compare(a, b) : undefined;
}

function both<V>(a: Json | undefined, b: Json | undefined, compare: (a: Json, b: Json) => V): V | undefined {
  return a === undefined || b === undefined ? undefined : compare(a, b);
}

/** Null, an unset marker, is the same as nothing and as little something else: only a `null` that is written can be asked for. */
function isSame(a: Json, b: Json): boolean | undefined {
  if (a === null || b === null) return undefined;
  if (typeof a === "boolean" || typeof b === "boolean") return truth(a) === undefined ? equal(a, b) : truth(a) === truth(b);
  const areNumbers = isExact(a) && isExact(b);
  return areNumbers ? numeric(a) === numeric(b) : equal(a, b);
}

/** A number, or text that is one with so few digits that none of them is lost: longer ones, such as ids, are compared as text. */
const isExact = (value: Json): boolean =>
  typeof value === "number" || (typeof value === "string" && !Number.isNaN(numeric(value)) && value.replace(/e.*|\D/gi, "").length <= 15);

function isNull(tree: jsep.Expression): boolean {
  const { type, ...rest } = node(tree);
  return type === "Literal" && "value" in rest && rest.value === null;
}
