import { equal } from "../value/equal.ts";
import { Failure } from "../value/failure.ts";
import { type Json, own } from "../value/json.ts";
import { type FieldStep, type Operator, parseExpression, refused, type Tree } from "./expression-syntax.ts";

/** The values of the markers of an expression, which it names `$0`, `$1`, …, and the data whose members it names `target.<path>`. */
export interface MarkerValues {
  readonly target: Json;
  readonly values: readonly Json[];
}

/**
 * An expression that can be calculated. Throws `Failure` for operands that an operator does not take, and for a result that is no finite
 * number.
 */
export type Calculation = (values: MarkerValues) => Json;

export type Order = (a: number | string, b: number | string) => boolean;
type Arithmetic = (first: number, ...others: readonly number[]) => number;

/**
 * How one kind of expression reads its operands, and which parts of the grammar it has. A part that it does not have is refused with words
 * of its own.
 */
export interface Dialect {
  readonly operand: (value: Json) => Json;
  readonly number: (value: Json) => number;
  readonly boolean: (value: Json) => boolean;
  readonly order: (a: Json, b: Json, compare: Order) => boolean;
  readonly same: (a: Json, b: Json) => boolean;
  readonly hasNull: boolean;
  readonly hasPower: boolean;
  /** Reads a field; undefined where a kind of expression has no fields. */
  readonly field: ((steps: readonly FieldStep[]) => Calculation) | undefined;
  /** Functions of one number, and those of any number of them; undefined where an expression has none, and no `if`. */
  readonly functions:
    | { readonly one: Readonly<Record<string, Arithmetic>>; readonly many: Readonly<Record<string, Arithmetic>> }
    | undefined;
  /** `before` is the last step of a field from which the name is subtracted. */
  readonly unknownName: (name: string, before?: FieldStep) => string;
  readonly holdsMore: string;
}

/** Stage 1 of an expression: what is not in the language is PW513. */
export const calculation = (text: string, dialect: Dialect): Calculation => compile(parseExpression(text), dialect);

function compile(tree: Tree, dialect: Dialect): Calculation {
  switch (tree.kind) {
    case "literal": {
      const { value } = tree;
      if (value === null && !dialect.hasNull) throw refused("'null' is not in the language");
      return () => value;
    }
    case "marker":
      return ({ values }) => dialect.operand(values[tree.index] ?? null);
    case "name":
      throw refused(dialect.unknownName(tree.name));
    case "field":
      if (dialect.field === undefined) throw refused(dialect.holdsMore);
      return dialect.field(tree.steps);
    case "group":
      return compile(tree.of, dialect);
    case "call":
      return call(tree, dialect);
    case "sign": {
      const of = compile(tree.of, dialect);
      return tree.operator === "-" ? (values) => finite(-dialect.number(of(values))) : (values) => !dialect.boolean(of(values));
    }
    case "operation":
      return chain(tree, dialect);
  }
}

/** One operation, which goes on from the value on its left. */
type Step = (left: Json, values: MarkerValues) => Json;

/** Calculates a row of operations in a loop, because a sum of a thousand terms is a tree with a thousand levels. */
function chain(tree: Tree & { readonly kind: "operation" }, dialect: Dialect): Calculation {
  const steps: Step[] = [];
  let first: Tree = tree;
  for (; first.kind === "operation"; first = first.left) steps.unshift(step(first, dialect));
  const start = compile(first, dialect);
  return (values) => {
    let value = start(values);
    for (const next of steps) value = next(value, values);
    return value;
  };
}

const firstOf = (tree: Tree): Tree => (tree.kind === "operation" ? firstOf(tree.left) : tree);

function step({ operator, left, right }: Tree & { readonly kind: "operation" }, dialect: Dialect): Step {
  if (operator === "-" && left.kind === "field") {
    const first = firstOf(right);
    if (first.kind === "name") throw refused(dialect.unknownName(first.name, left.steps.at(-1)));
  }
  const of = compile(right, dialect);
  const { number, boolean, order } = dialect;
  const arithmetic =
    (calculate: (a: number, b: number) => number): Step =>
    (a, values) =>
      finite(calculate(number(a), number(of(values))));
  switch (operator) {
    case "+":
      return arithmetic((a, b) => a + b);
    case "-":
      return arithmetic((a, b) => a - b);
    case "*":
      return arithmetic((a, b) => a * b);
    case "/":
      return arithmetic((a, b) => a / divisor(b));
    case "%":
      return arithmetic((a, b) => a % divisor(b));
    case "^":
      if (!dialect.hasPower) throw refused("operator '^' is not in the language");
      return arithmetic((a, b) => a ** b);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return (a, values) => order(a, of(values), orders[operator]);
    case "==":
    case "!=": {
      // A comparison with a written null asks whether a value is set.
      const same = isNull(left) || isNull(right) ? equal : dialect.same;
      return (a, values) => same(a, of(values)) === (operator === "==");
    }
    // The right side is evaluated only when the left side does not decide the result.
    case "&&":
      return (a, values) => boolean(a) && boolean(of(values));
    case "||":
      return (a, values) => boolean(a) || boolean(of(values));
  }
}

const orders: Readonly<Record<Operator & ("<" | "<=" | ">" | ">="), Order>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

const isNull = (tree: Tree): boolean => tree.kind === "literal" && tree.value === null;

function call({ name, args: operands }: Tree & { readonly kind: "call" }, dialect: Dialect): Calculation {
  const { functions, number } = dialect;
  if (functions === undefined) throw refused(dialect.holdsMore);
  const args = operands.map((arg) => compile(arg, dialect));
  if (name === "if") return choice(args, dialect);
  const { one, many } = functions;
  const run = own(many, name) ?? own(one, name);
  if (run === undefined) {
    throw refused(`function '${name}' is not known; there are ${[...Object.keys(many), ...Object.keys(one)].join(", ")} and if`);
  }
  const [first, ...others] = args;
  if (first === undefined || (others.length > 0 && own(many, name) === undefined)) throw refused(`${name} takes one argument`);
  return (values) => finite(run(number(first(values)), ...others.map((other) => number(other(values)))));
}

/** Only the branch that is taken is calculated: the other may divide by zero. */
function choice([condition, yes, no, more]: readonly Calculation[], { boolean }: Dialect): Calculation {
  if (condition === undefined || yes === undefined || no === undefined || more !== undefined) throw refused("if takes three arguments");
  return (values) => (boolean(condition(values)) ? yes(values) : no(values));
}

function divisor(value: number): number {
  if (value === 0) throw new Failure("transform", "division by zero");
  return value;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Failure("transform", "result is not a finite number");
  return value;
}
