import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { closeOf, foundOnce, isSign, openBefore, pairsOf, wordAt } from "#runtime/languages/sql/tokens.ts";

// This file finds where operands of SQL begin and end.

/** Tokens of an operand; `to` is the index behind the last one. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Words at which an operand of a comparison ends. `CASE` and `END` act as brackets. */
const boundary =
  /^(?:and|or|not|where|having|on|when|then|else|case|end|select|between|in|is|like|glob|match|regexp|from|group|order|limit|offset|by|as|distinct|all|set|values|returning|union|except|intersect|isnull|notnull|asc|desc|window|with|using|join)$/;

const isBoundary = (token: SqlToken | undefined): boolean => token?.kind === "word" && boundary.test(token.text);

/** Signs of several characters; the lexer gives one token for each character. */
const joined: ReadonlySet<string> = new Set(["->", "->>", "<<", ">>", "<=", ">=", "<>", "!=", "==", "||"]);

/** The tokens with operators of several characters as one: the signs of two operators never touch, except before the sign of a number. */
export function operators(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const out: SqlToken[] = [];
  for (const token of tokens) {
    const before = out.at(-1);
    if (token.kind === "sign" && before?.kind === "sign" && joined.has(before.text + token.text))
      out[out.length - 1] = { kind: "sign", text: before.text + token.text };
    else out.push(token);
  }
  return out;
}

/** Signs at which an operand of a comparison ends. */
const isEdge = (token: SqlToken | undefined): boolean =>
  token === undefined || isBoundary(token) || (token.kind === "sign" && /^(?:[(),;<>=]|<=|>=|<>|!=|==)$/.test(token.text));

/** The index at which a bracket, a `CASE` or another part of an operand begins that ends with this token; undefined for an edge. */
function partBefore(tokens: readonly SqlToken[], last: number): number | undefined {
  if (isSign(tokens[last], ")")) return Math.max(openBefore(tokens, last), 0);
  if (wordAt(tokens, last) === "end") return caseOf(tokens, last) ?? last;
  return isEdge(tokens[last]) ? undefined : last;
}

/** The index behind the bracket, `CASE` or other part of an operand that begins with this token; undefined for an edge. */
function partAfter(tokens: readonly SqlToken[], first: number): number | undefined {
  if (isSign(tokens[first], "(")) return closeOf(tokens, first) + 1;
  if (wordAt(tokens, first) === "case") return endOf(tokens, first) + 1;
  return isEdge(tokens[first]) ? undefined : first + 1;
}

const edgesBefore = foundOnce((tokens) => {
  const edges = new Int32Array(tokens.length + 1);
  for (const last of tokens.keys()) {
    const start = partBefore(tokens, last);
    edges[last + 1] = start === undefined ? last + 1 : (edges[start] ?? 0);
  }
  return edges;
});

const edgesAfter = foundOnce((tokens) => {
  const edges = new Int32Array(tokens.length + 1).fill(tokens.length);
  for (let first = tokens.length - 1; first >= 0; first--) {
    const end = partAfter(tokens, first);
    edges[first] = end === undefined ? first : (edges[end] ?? tokens.length);
  }
  return edges;
});

/** The index of the first token of the operand that ends before `end`. */
export const edgeBefore = (tokens: readonly SqlToken[], end: number): number => edgesBefore(tokens)[end] ?? end;

/** The index behind the operand that begins at `start`. */
export const edgeAfter = (tokens: readonly SqlToken[], start: number): number => edgesAfter(tokens)[start] ?? tokens.length;

const casesOf = foundOnce((tokens) =>
  pairsOf(tokens, (token) => {
    const word = token.kind === "word" ? token.text : undefined;
    return word === "case" ? "opens" : word === "end" ? "closes" : undefined;
  }),
);

/** The index of the `CASE` around a place, or of the `CASE` that belongs to an `END`. */
export function caseOf(tokens: readonly SqlToken[], place: number): number | undefined {
  const start = casesOf(tokens).around[place] ?? -1;
  return start < 0 ? undefined : start;
}

/** The index of the `END` of a `CASE`; the index behind the last token when there is none. */
export const endOf = (tokens: readonly SqlToken[], start: number): number => casesOf(tokens).closing[start] ?? tokens.length;

/** The operands behind these words in a `CASE`, from a place in it to its `END`; operands of a nested `CASE` are left out. */
export function branchesOf(tokens: readonly SqlToken[], from: number, words: readonly string[]): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = from; at < tokens.length && wordAt(tokens, at) !== "end"; at++) {
    if (isSign(tokens[at], "(")) at = closeOf(tokens, at);
    else if (wordAt(tokens, at) === "case") at = endOf(tokens, at);
    else if (words.includes(wordAt(tokens, at) ?? "")) ranges.push({ from: at + 1, to: edgeAfter(tokens, at + 1) });
  }
  return ranges;
}

export const whensOf = (tokens: readonly SqlToken[], from: number): readonly Range[] => branchesOf(tokens, from, ["when"]);

/** The parts of a range between commas. */
export function split(tokens: readonly SqlToken[], { from, to }: Range): readonly Range[] {
  const parts: Range[] = [];
  let start = from;
  for (let at = from; at < to; at++) {
    if (isSign(tokens[at], "(")) at = closeOf(tokens, at);
    else if (isSign(tokens[at], ",")) {
      parts.push({ from: start, to: at });
      start = at + 1;
    }
  }
  return [...parts, { from: start, to }];
}

const partsByBracket = foundOnce(() => new Map<number, readonly Range[]>());

/** The parts between the commas of a bracket, such as the arguments of a function. */
export function partsIn(tokens: readonly SqlToken[], open: number): readonly Range[] {
  const byBracket = partsByBracket(tokens);
  const parts = byBracket.get(open) ?? split(tokens, { from: open + 1, to: closeOf(tokens, open) });
  byBracket.set(open, parts);
  return parts;
}

const commasBefore = foundOnce((tokens) => {
  const counted = new Map<number, number>();
  const before = new Int32Array(tokens.length + 1);
  for (let at = 0; at <= tokens.length; at++) {
    const open = openBefore(tokens, at);
    const count = counted.get(open) ?? 0;
    before[at] = count;
    if (isSign(tokens[at], ",")) counted.set(open, count + 1);
  }
  return before;
});

/** In which part of its bracket a token stands, from 0. */
export const partAt = (tokens: readonly SqlToken[], at: number): number => commasBefore(tokens)[at] ?? 0;

/** True when this bracket holds the arguments of a function. */
export const isCall = (tokens: readonly SqlToken[], open: number): boolean => {
  const before = tokens[open - 1];
  return before?.kind === "name" || (before?.kind === "word" && !isBoundary(before));
};
