import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { closeOf, isSign, nameAt, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";
import { branchesOf, edgeAfter, edgeBefore, endOf, type Range, split } from "./operands.ts";

// This file finds values of SQLite that are numbers without being columns. SQLite does not turn a text that is compared with such a value
// into a number.

/** Functions whose value is a number, or may be one. */
const numeric =
  /^(?:count|sum|total|avg|min|max|length|octet_length|abs|round|ceil(?:ing)?|floor|mod|power|sqrt|sign|instr|unicode|random|changes|last_insert_rowid|julianday|unixepoch|json_array_length|json_extract|row_number|rank|dense_rank|ntile|lag|lead|first_value|last_value|nth_value|coalesce|ifnull|nullif|iif)$/;

const arithmetic = /^(?:[-+*/%&|~]|<<|>>)$/;

/** A name that a query gives to a number. `open` is the index of the bracket around the query, or -1. */
export interface Computed {
  readonly name: string;
  readonly open: number;
}

interface Comparison {
  readonly tokens: readonly SqlToken[];
  readonly names: readonly Computed[];
  /** The index of the compared value. */
  readonly at: number;
  /** True when the comparison is by order, not only by equality. */
  readonly ordered: boolean;
}

/** True when an operand is a number: a literal, or a number that SQLite computes. */
export function isNumber(cx: Comparison, { from, to }: Range): boolean {
  const { tokens, ordered } = cx;
  if (to <= from) return false;
  if (isSign(tokens[from], "(") && closeOf(tokens, from) === to - 1) return isNumberInside(cx, { from: from + 1, to: to - 1 });
  const signs = signsIn(tokens, { from, to });
  // A value of JSON may be a number or a text. Equality would be right for a text, so only an order counts.
  if (signs.includes("->>") && ordered) return true;
  if (signs.some((sign) => arithmetic.test(sign))) return true;
  if (wordAt(tokens, from) === "case" && endOf(tokens, from) === to - 1)
    return branchesOf(tokens, from + 1, ["then", "else"]).some((range) => isNumber(cx, range));
  if (isSign(tokens[from + 1], "(")) return numeric.test(wordAt(tokens, from) ?? "");
  const own = tokens.slice(from, to);
  if (own.some(({ kind }) => kind === "number")) return own.every((token) => token.kind === "number" || isSign(token, "."));
  return isComputedName(cx, { from, to });
}

/** True when the inside of brackets is a number: an operand, or a query with one column. */
function isNumberInside(cx: Comparison, inside: Range): boolean {
  const { tokens } = cx;
  if (wordAt(tokens, inside.from) === "select") return columnsOf(tokens, inside.from).some(({ value }) => isNumber(cx, value));
  return edgeAfter(tokens, inside.from) === inside.to && isNumber(cx, inside);
}

/** The operators of an operand itself. A plus before the operand does not change the value, and a star alone stands for all columns. */
function signsIn(tokens: readonly SqlToken[], { from, to }: Range): readonly string[] {
  const signs: string[] = [];
  for (let at = from; at < to; at++) {
    const token = tokens[at];
    if (isSign(token, "(")) at = closeOf(tokens, at);
    else if (wordAt(tokens, at) === "case") at = endOf(tokens, at);
    else if (token?.kind === "sign" && !(at === from && token.text === "+") && !isAllColumns(tokens, at, { from, to }))
      signs.push(token.text);
  }
  return signs;
}

const isAllColumns = (tokens: readonly SqlToken[], at: number, { from, to }: Range): boolean =>
  isSign(tokens[at], "*") && at === to - 1 && (at === from || isSign(tokens[at - 1], "."));

/** True for `m` or `s.m`, where a query gives the name `m` to a number. Inside that query, `s.m` is a column of the table `s`. */
function isComputedName({ tokens, names, at }: Comparison, { from, to }: Range): boolean {
  const isQualified = to - from === 3 && isSign(tokens[from + 1], ".");
  if (!isQualified && to - from !== 1) return false;
  const name = nameAt(tokens, to - 1);
  return names.some((one) => one.name === name && !(isQualified && holds(tokens, one.open, at)));
}

const holds = (tokens: readonly SqlToken[], open: number, at: number): boolean => open < 0 || (open < at && at < closeOf(tokens, open));

/** Names that the queries give to numbers: `count(*) AS n`, `price * qty total`, also through a name from an inner query. */
export function computedNames(tokens: readonly SqlToken[]): readonly Computed[] {
  const columns = tokens.flatMap((_, at) =>
    wordAt(tokens, at) === "select" ? columnsOf(tokens, at).map((column) => ({ ...column, open: openBefore(tokens, at), at })) : [],
  );
  let names: readonly Computed[] = [];
  // An inner query may stand behind its outer query, or before it after WITH, so the search is repeated until it finds no new name.
  for (let more = true; more; ) {
    const further = columns.flatMap(({ name, value, open, at }): Computed[] =>
      name !== undefined && isNumber({ tokens, names, at, ordered: false }, value) ? [{ name, open }] : [],
    );
    more = further.length > names.length;
    names = further;
  }
  return names;
}

interface Column {
  readonly value: Range;
  readonly name: string | undefined;
}

/** The columns of a query's result. */
function columnsOf(tokens: readonly SqlToken[], select: number): readonly Column[] {
  const first = /^(?:distinct|all)$/.test(wordAt(tokens, select + 1) ?? "") ? select + 2 : select + 1;
  return split(tokens, { from: first, to: listEnd(tokens, first) }).map((range) => columnOf(tokens, range));
}

function listEnd(tokens: readonly SqlToken[], first: number): number {
  for (let at = first; at < tokens.length; at++) {
    if (isSign(tokens[at], "(")) at = closeOf(tokens, at);
    else if (wordAt(tokens, at) === "case") at = endOf(tokens, at);
    else if (isSign(tokens[at], ")") || isSign(tokens[at], ";")) return at;
    else if (/^(?:from|where|group|having|order|limit|union|except|intersect|window)$/.test(wordAt(tokens, at) ?? "")) return at;
  }
  return tokens.length;
}

function columnOf(tokens: readonly SqlToken[], { from, to }: Range): Column {
  const hasAs = wordAt(tokens, to - 2) === "as";
  const name = nameAt(tokens, to - 1);
  const end = hasAs ? to - 2 : to - 1;
  const before = tokens[end - 1];
  const isNamed =
    end > from && name !== undefined && wordAt(tokens, to - 1) !== "end" && (hasAs || before?.kind !== "sign" || before.text === ")");
  const value = { from, to: isNamed ? end : to };
  // True for a value that reads a column of the same name: elsewhere in the query the name stands for the column.
  const isColumn = isNamed && tokens.slice(value.from, value.to).some((_, at) => nameAt(tokens, value.from + at) === name);
  return { value, name: isNamed && !isColumn && edgeBefore(tokens, value.to) === value.from ? name : undefined };
}
