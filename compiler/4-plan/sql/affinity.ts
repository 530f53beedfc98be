import type { Mark, SqlToken } from "#runtime/languages/sql/lexer.ts";
import { closeOf, isSign, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";
import { type Computed, computedNames, isNumber } from "./computed.ts";
import { caseOf, edgeAfter, edgeBefore, isCall, operators, partAt, partsIn, type Range, split, whensOf } from "./operands.ts";

// SQLite compares a value with a column by the type of the column. With a computed value it compares by the types of the values, and every
// text is larger than every number: `count(*) > '5'` never holds.

/** Asks something about the token at a place of a query. */
export type TokenTest = (place: number) => boolean;

/** Tells of the values of a query which are compared with a number: an aggregate or another function, arithmetic, or a literal. */
export function comparedWithNumber(written: readonly SqlToken[]): TokenTest {
  const tokens = operators(written);
  const places = new Map(tokens.map((token, at) => [token, at]));
  let names: readonly Computed[] | undefined;
  return (place) => {
    const value = written[place];
    const at = value === undefined ? undefined : places.get(value);
    if (at === undefined) return false;
    return othersOf(tokens, bracketed(tokens, at)).some(({ range, ordered }) => {
      names ??= computedNames(tokens);
      return isNumber({ tokens, names, at, ordered }, range);
    });
  };
}

/** The other operand of a comparison with a value. */
interface Other {
  readonly range: Range;
  /** True when the comparison is by order, not only by equality. */
  readonly ordered: boolean;
}

/** The value, with the brackets around it that hold only the value. */
function bracketed(tokens: readonly SqlToken[], at: number): Range {
  let [from, to] = [at, at + 1];
  while (isSign(tokens[from - 1], "(") && isSign(tokens[to], ")") && !isCall(tokens, from - 1) && wordAt(tokens, from - 2) !== "in") {
    from -= 1;
    to += 1;
  }
  return { from, to };
}

function othersOf(tokens: readonly SqlToken[], value: Range): readonly Other[] {
  // Arithmetic and functions turn a value in them into a number.
  if (edgeBefore(tokens, value.from) !== value.from || edgeAfter(tokens, value.to) !== value.to) return [];
  return [...comparisons(tokens, value), ...between(tokens, value), ...members(tokens, value), ...cases(tokens, value)];
}

const isComparison = (token: SqlToken | undefined): boolean => token?.kind === "sign" && /^(?:[<>=]|<=|>=|<>|!=|==)$/.test(token.text);
const isOrder = (token: SqlToken | undefined): boolean => token?.kind === "sign" && /^[<>]=?$/.test(token.text);

/** The index at which a comparison begins that ends before this token, `IS NOT` included; undefined where there is none. */
function comparisonBefore(tokens: readonly SqlToken[], end: number): number | undefined {
  if (isComparison(tokens[end - 1])) return end - 1;
  const isDistinct = wordAt(tokens, end - 1) === "from" && wordAt(tokens, end - 2) === "distinct";
  const last = isDistinct ? end - 3 : end - 1;
  const first = wordAt(tokens, last) === "not" ? last - 1 : last;
  return wordAt(tokens, first) === "is" ? first : undefined;
}

/** The index behind a comparison that begins with this token; undefined where there is none. */
function comparisonAfter(tokens: readonly SqlToken[], start: number): number | undefined {
  if (isComparison(tokens[start])) return start + 1;
  if (wordAt(tokens, start) !== "is") return undefined;
  const next = wordAt(tokens, start + 1) === "not" ? start + 2 : start + 1;
  return wordAt(tokens, next) === "distinct" ? next + 2 : next;
}

function comparisons(tokens: readonly SqlToken[], value: Range): readonly Other[] {
  const others: Other[] = [];
  const start = comparisonBefore(tokens, value.from);
  const left = start === undefined ? undefined : { from: edgeBefore(tokens, start), to: start };
  // In `SET n = ?` the sign assigns, and does not compare.
  if (left !== undefined && wordAt(tokens, left.from - 1) !== "set") others.push({ range: left, ordered: isOrder(tokens[value.from - 1]) });
  const end = comparisonAfter(tokens, value.to);
  if (end !== undefined) others.push({ range: { from: end, to: edgeAfter(tokens, end) }, ordered: isOrder(tokens[value.to]) });
  return others;
}

/** The other operands in `x BETWEEN ? AND ?` and `? BETWEEN a AND b`. */
function between(tokens: readonly SqlToken[], { from, to }: Range): readonly Other[] {
  const ordered = true;
  const word = wordAt(tokens, to) === "not" ? to + 1 : to;
  if (wordAt(tokens, word) === "between") {
    const low = { from: word + 1, to: edgeAfter(tokens, word + 1) };
    const high = { from: low.to + 1, to: edgeAfter(tokens, low.to + 1) };
    return [low, high].map((range) => ({ range, ordered }));
  }
  const low = wordAt(tokens, from - 1) === "and" ? edgeBefore(tokens, from - 1) : from;
  if (wordAt(tokens, low - 1) !== "between") return [];
  const end = wordAt(tokens, low - 2) === "not" ? low - 2 : low - 1;
  return [{ range: { from: edgeBefore(tokens, end), to: end }, ordered }];
}

/** The other operands in `x IN (?)`, in `? IN (1, 2)`, and in comparisons of rows: `(a, b) > (?, 0)`. */
function members(tokens: readonly SqlToken[], value: Range): readonly Other[] {
  const word = wordAt(tokens, value.to) === "not" ? value.to + 1 : value.to;
  if (wordAt(tokens, word) === "in" && isSign(tokens[word + 1], "(")) {
    const inside = { from: word + 2, to: closeOf(tokens, word + 1) };
    const ranges = wordAt(tokens, inside.from) === "select" ? [{ from: word + 1, to: inside.to + 1 }] : split(tokens, inside);
    return ranges.map((range) => ({ range, ordered: false }));
  }
  const open = openBefore(tokens, value.from);
  if (open < 0 || isCall(tokens, open)) return [];
  if (wordAt(tokens, open - 1) === "in") {
    const end = wordAt(tokens, open - 2) === "not" ? open - 2 : open - 1;
    return [{ range: { from: edgeBefore(tokens, end), to: end }, ordered: false }];
  }
  const place = partAt(tokens, value.from);
  const [compared, items] = [comparisons(tokens, { from: open, to: closeOf(tokens, open) + 1 }), partsIn(tokens, open)];
  if (items.length < 2 || items[place]?.from !== value.from) return [];
  return compared.flatMap(({ range, ordered }) => {
    const other = isSign(tokens[range.from], "(") ? partsIn(tokens, range.from)[place] : undefined;
    return other === undefined ? [] : [{ range: other, ordered }];
  });
}

/** The other operands in `CASE x WHEN ? THEN` and `CASE ? WHEN 1 THEN`. */
function cases(tokens: readonly SqlToken[], { from, to }: Range): readonly Other[] {
  const ordered = false;
  if (wordAt(tokens, from - 1) === "case") return whensOf(tokens, to).map((range) => ({ range, ordered }));
  if (wordAt(tokens, from - 1) !== "when" || wordAt(tokens, to) !== "then") return [];
  const start = caseOf(tokens, from - 1);
  return start === undefined ? [] : [{ range: { from: start + 1, to: edgeAfter(tokens, start + 1) }, ordered }];
}

/** Tells of the values of a query which stand alone in the brackets of `IN`. */
export const onlyMember =
  (tokens: readonly SqlToken[]): TokenTest =>
  (at) =>
    isSign(tokens[at - 1], "(") && isSign(tokens[at + 1], ")") && wordAt(tokens, at - 2) === "in";

/** A placeholder of a query: its number, from 1, and its mark among the tokens. */
interface Placeholder {
  readonly number: number;
  readonly mark?: Mark;
}

/** A function that finds the entries of `params`, from 0, whose placeholders pass a test. */
export function entriesOf(placeholders: readonly Placeholder[], tokens: readonly SqlToken[]): (fits: TokenTest) => number[] {
  const places = new Map(tokens.flatMap((token, at) => (token.kind === "mark" ? [[token.mark, at]] : [])));
  const placed = placeholders.flatMap(({ number, mark }) => (mark === undefined ? [] : [{ number, place: places.get(mark) }]));
  return (fits) => placed.flatMap(({ number, place }) => (place !== undefined && fits(place) ? [number - 1] : []));
}
