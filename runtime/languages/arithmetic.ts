import { type Key, valueBelow } from "../paths/nodes.ts";
import { round } from "../value/decimal.ts";
import { Failure } from "../value/failure.ts";
import type { Json, JsonObject } from "../value/json.ts";
import { numeric } from "../value/target.ts";
import { text } from "../value/values.ts";
import { type Calculation, calculation, type Dialect, type Order } from "./expression.ts";
import type { FieldStep } from "./expression-syntax.ts";

/** The value of an expression of `math`. Text that is a JSON number counts as that number where one is needed. */
export type Scalar = number | string | boolean;

/** Stage 1 of an expression of `math` (spec/transforms 5): what is not in the language is PW513. */
export function arithmetic(source: string): (target: JsonObject, values: readonly Json[]) => Scalar {
  const calculate = calculation(source, math);
  return (target, values) => scalar(calculate({ target, values }));
}

function field(steps: readonly FieldStep[]): Calculation {
  const fixed = steps.filter((step) => typeof step !== "object");
  if (fixed.length === steps.length) return ({ target }) => fieldAt(target, fixed);
  return ({ target, values }) =>
    fieldAt(
      target,
      steps.map((step) => (typeof step === "object" ? text(values[step.marker] ?? null) : step)),
    );
}

function fieldAt(target: Json, keys: readonly Key[]): Scalar {
  const value = valueBelow(target, keys, false) ?? null;
  if (value !== null) return scalar(value);
  const path = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  throw new Failure("transform", `target${path} is missing`);
}

/** The value of a marker is an operand, whatever it looks like. */
function operand(value: Json): Scalar {
  if (value === null) throw new Failure("transform", "a marker is not set");
  return scalar(value);
}

function scalar(value: Json): Scalar {
  if (typeof value === "object") throw notNumber();
  return value;
}

/** An operand that must be a number. */
export function number(value: Json): number {
  const result = numeric(value);
  if (!Number.isFinite(result)) throw notNumber();
  return result;
}

const notNumber = (): Failure => new Failure("transform", "operand is not a number");

function boolean(value: Json): boolean {
  if (typeof value !== "boolean") throw new Failure("transform", "operand is not a boolean");
  return value;
}

function same(a: Json, b: Json): boolean {
  const [x, y] = [numeric(a), numeric(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? a === b : x === y;
}

function unknownName(name: string, before?: FieldStep): string {
  if (name === "target") return "write target.<field>";
  const field = typeof before === "string" ? `field with a dash is written target["${before}-${name}"]` : `field is written target.${name}`;
  return `'${name}' is not known; a ${field}`;
}

const math: Dialect = {
  operand,
  number,
  boolean,
  order: (a: Json, b: Json, compare: Order) => compare(number(a), number(b)),
  same,
  hasNull: false,
  hasPower: true,
  field,
  functions: {
    many: { min: Math.min, max: Math.max },
    one: {
      abs: (value) => Math.abs(value),
      floor: (value) => Math.floor(value),
      ceil: (value) => Math.ceil(value),
      round: (value) => round(value, 0),
      sqrt: (value) => Math.sqrt(value),
    },
  },
  unknownName,
  holdsMore: "it holds more than numbers, text, fields, operators and functions",
};
