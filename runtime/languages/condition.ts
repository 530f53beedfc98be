import { equal } from "../value/equal.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { numeric } from "../value/target.ts";
import { calculation, type Dialect, type Order } from "./expression.ts";

/** Tells whether a condition holds for the values of its markers. */
export type Condition = (values: readonly Json[]) => boolean;

/**
 * Stage 1 of a condition (spec/language 6.4 `expression`), whose markers stand in the text as `$0`, `$1`, …: anything outside the language
 * is PW513. The condition only combines values: no value is ever read as a part of the text. Where an operator does not fit its operands,
 * the whole condition fails, also below a `!`.
 */
export function condition(text: string): Condition {
  const calculate = calculation(text, logic);
  return (values) => {
    try {
      return truth(calculate({ target: null, values })) === true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  };
}

/**
 * Thrown where a condition cannot be decided, and caught above. There is only one, because making an error takes longer than most
 * conditions.
 */
const undecided = new Failure("evaluation", "undecided");

/** Booleans, and their names: a parameter of a request is text. */
function truth(value: Json): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : undefined;
}

function boolean(value: Json): boolean {
  const decided = truth(value);
  if (decided === undefined) throw undecided;
  return decided;
}

function number(value: Json): number {
  const result = numeric(value);
  if (Number.isNaN(result)) throw undecided;
  return result;
}

/** True when the order of two values holds: numbers are compared by size, other texts by their characters; other values have no order. */
function order(a: Json, b: Json, compare: Order): boolean {
  const [x, y] = [numeric(a), numeric(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return compare(x, y);
  if (Number.isNaN(x) && Number.isNaN(y) && typeof a === "string" && typeof b === "string") return compare(a, b);
  throw undecided;
}

/**
 * True when two values are equal. Null, an unset marker, is neither equal nor unequal to anything; only a written `null` can be compared
 * with it.
 */
function same(a: Json, b: Json): boolean {
  if (a === null || b === null) throw undecided;
  if (typeof a === "boolean" || typeof b === "boolean") return truth(a) === undefined ? equal(a, b) : truth(a) === truth(b);
  return isExact(a) && isExact(b) ? numeric(a) === numeric(b) : equal(a, b);
}

/** A number, or text that is one with so few digits that none of them is lost: longer ones, such as ids, are compared as text. */
const isExact = (value: Json): boolean =>
  typeof value === "number" || (typeof value === "string" && !Number.isNaN(numeric(value)) && value.replace(/e.*|\D/gi, "").length <= 15);

const logic: Dialect = {
  operand: (value) => value,
  number,
  boolean,
  order,
  same,
  hasNull: true,
  hasPower: false,
  field: undefined,
  functions: undefined,
  unknownName: (name) => `'${name}' is not known; text is written in quotes`,
  holdsMore: "it holds more than numbers, text, markers and operators",
};
