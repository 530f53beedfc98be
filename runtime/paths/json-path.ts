import { JSONPathEnvironment, JSONPathError, type JSONPathQuery, jsonpath, TokenKind } from "json-p3";
import type { Json } from "../value/json.ts";
import { comparisons, lengthOf, literalTest, patternTest } from "./json-path-functions.ts";
import { type Fault, isGrouped, NotInRfc, textFault } from "./json-path-strict.ts";
import { every, isKey, type PathStep, type Selector, valueBelow, type Walk, within } from "./nodes.ts";
import { matches, matchesOf } from "./nodes-walk.ts";

// Queries of RFC 9535. json-p3 parses them, but we find the nodes ourselves: the library compares inherited members, orders text by UTF-16
// units, gives up below 50 levels, and runs patterns from the data on a backtracking engine.

const { FilterSelector, IndexSelector, NameSelector, SliceSelector, WildcardSelector } = jsonpath.selectors;
const { BooleanLiteral, FilterQuery, FunctionExtension, InfixExpression, LogicalExpression } = jsonpath.expressions;
const { NullLiteral, NumberLiteral, PrefixExpression, RootQuery, StringLiteral } = jsonpath.expressions;

type SegmentTree = JSONPathQuery["segments"][number];
type SelectorTree = SegmentTree["selectors"][number];
type Expression = InstanceType<typeof FilterSelector>["expression"]["expression"];
type Query = InstanceType<typeof FilterQuery>;
type Infix = InstanceType<typeof InfixExpression>;
type Call = InstanceType<typeof FunctionExtension>;

/** True when a filter lets a child pass. */
type Condition = (child: Json, walk: Walk) => boolean;
/** A value for a comparison or a function; undefined is the RFC's `Nothing`. */
type Operand = (child: Json, walk: Walk) => Json | undefined;

/** The steps of a query, which starts with `$`. */
export function parseQuery(text: string): readonly PathStep[] | Fault {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  try {
    return stepsOf(new JSONPathEnvironment().compile(text));
  } catch (error) {
    if (error instanceof NotInRfc) return error.fault;
    if (error instanceof JSONPathError) return { reason: plainly(error.message), at: error.token.index };
    throw error;
  }
}

/** The library's message without the places that it names, and without its own names of tokens. */
function plainly(message: string): string {
  const reason = message.replace(/(?: at index \d+)? \('.*':\d+\)$/s, "").replaceAll("  ", " ");
  return reason.replace(/TOKEN_([A-Z_]+)/g, (_, kind: string) => kind.toLowerCase().replaceAll("_", " "));
}

function stepsOf({ segments }: JSONPathQuery): readonly PathStep[] {
  return segments.map(stepOf);
}

function stepOf({ token, selectors }: SegmentTree): PathStep {
  const tests = selectors.map(selectorOf);
  const descend = token.kind === TokenKind.DDOT;
  const [only] = tests;
  const isSimple = !descend && tests.length === 1 && only !== undefined && (only === every || typeof only !== "object");
  return isSimple ? only : { selectors: tests, descend };
}

function selectorOf(tree: SelectorTree): Selector {
  if (tree instanceof NameSelector) return nameOf(tree);
  if (tree instanceof IndexSelector) return tree.index;
  if (tree instanceof SliceSelector) return { start: tree.start, end: tree.stop, step: tree.step ?? 1 };
  if (tree instanceof WildcardSelector) return every;
  if (tree instanceof FilterSelector) return { passes: condition(tree.expression) };
  throw new TypeError("json-p3 gave a selector that is not in the RFC");
}

function nameOf({ name, token }: InstanceType<typeof NameSelector>): string {
  const hyphen = token.kind === TokenKind.NAME ? name.indexOf("-") : -1;
  if (hyphen >= 0) throw new NotInRfc("'-' is no part of a name without quotes", token.index + hyphen);
  return name;
}

/** A logical expression as a function (RFC 9535 2.3.5.1). */
function condition(tree: Expression): Condition {
  if (tree instanceof LogicalExpression) return condition(tree.expression);
  if (tree instanceof PrefixExpression) return negation(condition(tree.right));
  if (tree instanceof InfixExpression) return tree.logical ? junction(tree) : comparison(tree);
  if (tree instanceof FilterQuery) return existence(tree);
  if (tree instanceof FunctionExtension && (tree.name === "match" || tree.name === "search")) return pattern(tree);
  throw new NotInRfc("a value must be compared with another", tree.token.index);
}

const negation =
  (inner: Condition): Condition =>
  (child, walk) =>
    !inner(child, walk);

function junction({ operator, left, right }: Infix): Condition {
  const [first, second] = [condition(left), condition(right)];
  if (operator === "&&") return (child, walk) => first(child, walk) && second(child, walk);
  return (child, walk) => first(child, walk) || second(child, walk);
}

function comparison({ operator, left, right, token }: Infix): Condition {
  if (isGrouped(token.input, left.token, token, right.token))
    throw new NotInRfc("a side of a comparison stands in parentheses", token.index);
  const [first, second] = [operand(left), operand(right)];
  const compare = comparisons[operator];
  if (compare === undefined) throw new TypeError(`json-p3 gave an operator '${operator}'`);
  return (child, walk) => compare(first(child, walk), second(child, walk), walk);
}

function existence(tree: Query): Condition {
  const steps = stepsOf(tree.path);
  const isRoot = tree instanceof RootQuery;
  const results = new WeakMap<Walk, boolean>();
  return (child, walk) => {
    if (!isRoot) return within(walk, () => matches(child, steps, true, walk));
    const result = results.get(walk) ?? within(walk, () => matches(walk.root, steps, true, walk));
    results.set(walk, result);
    return result;
  };
}

function pattern({ name, args }: Call): Condition {
  const [subject, expression] = args;
  const whole = name === "match";
  const text = operand(subject);
  if (expression instanceof StringLiteral) {
    const test = literalTest(expression.value, whole);
    return (child, walk) => test(text(child, walk), walk);
  }
  const source = operand(expression);
  const test = patternTest(whole);
  return (child, walk) => test(text(child, walk), source(child, walk), walk);
}

/** Reads an expression that may stand beside a sign of comparison, or be the argument of a function (RFC 9535 2.3.5.1 and 2.4.3). */
function operand(tree: Expression | undefined): Operand {
  if (tree instanceof NullLiteral) return () => null;
  if (tree instanceof BooleanLiteral || tree instanceof NumberLiteral || tree instanceof StringLiteral) return literal(tree.value);
  if (tree instanceof FilterQuery) return single(tree);
  if (tree instanceof FunctionExtension) return call(tree);
  throw new NotInRfc("only values, paths of one value and functions are compared", tree?.token.index ?? 0);
}

const literal =
  (value: Json): Operand =>
  () =>
    value;

function call({ name, args, token }: Call): Operand {
  const [argument] = args;
  if (name === "length") {
    const value = operand(argument);
    return (child, walk) => lengthOf(value(child, walk), walk);
  }
  if (!(argument instanceof FilterQuery) || (name !== "count" && name !== "value"))
    throw new NotInRfc(`the result of ${name}() cannot be compared`, token.index);
  const nodes = values(argument);
  if (name === "count") return (child, walk) => nodes(child, walk).length;
  return (child, walk) => {
    const all = nodes(child, walk);
    return all.length === 1 ? all[0] : undefined;
  };
}

/** A path that names one value at most. */
function single(tree: Query): Operand {
  const keys = stepsOf(tree.path).filter(isKey);
  if (keys.length < tree.path.segments.length) throw new NotInRfc("a path of several values cannot be compared", tree.token.index);
  if (tree instanceof RootQuery) return (_, { root }) => valueBelow(root, keys, true);
  return (child) => valueBelow(child, keys, true);
}

/** All values of a path. A path from `$` gives the same values for every child, so it is searched once in a walk. */
function values(tree: Query): (child: Json, walk: Walk) => readonly Json[] {
  const steps = stepsOf(tree.path);
  const nodes = (from: Json, walk: Walk): readonly Json[] =>
    within(walk, () => matchesOf(from, steps, true, walk).map(({ value }) => value));
  if (!(tree instanceof RootQuery)) return nodes;
  const results = new WeakMap<Walk, readonly Json[]>();
  return (_, walk) => {
    const all = results.get(walk) ?? nodes(walk.root, walk);
    results.set(walk, all);
    return all;
  };
}
