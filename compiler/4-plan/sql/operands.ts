import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { closeOf, isSign, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";

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

/** The index of the first token of the operand that ends before `end`. */
export function edgeBefore(tokens: readonly SqlToken[], end: number): number {
  let at = end;
  while (at > 0) {
    const token = tokens[at - 1];
    if (isSign(token, ")")) at = Math.max(openBefore(tokens, at - 1), 0);
    else if (wordAt(tokens, at - 1) === "end") at = caseOf(tokens, at - 1) ?? at - 1;
    else if (isEdge(token)) return at;
    else at -= 1;
  }
  return at;
}

/** The index behind the operand that begins at `start`. */
export function edgeAfter(tokens: readonly SqlToken[], start: number): number {
  let at = start;
  while (at < tokens.length) {
    if (isSign(tokens[at], "(")) at = closeOf(tokens, at) + 1;
    else if (wordAt(tokens, at) === "case") at = endOf(tokens, at) + 1;
    else if (isEdge(tokens[at])) return at;
    else at += 1;
  }
  return Math.min(at, tokens.length);
}

/** The index of the `CASE` around a place, or of the `CASE` that belongs to an `END`. */
export function caseOf(tokens: readonly SqlToken[], place: number): number | undefined {
  let depth = 0;
  for (let at = place - 1; at >= 0; at--) {
    if (wordAt(tokens, at) === "end") depth += 1;
    if (wordAt(tokens, at) !== "case") continue;
    if (depth === 0) return at;
    depth -= 1;
  }
  return undefined;
}

/** The index of the `END` of a `CASE`; the index behind the last token when there is none. */
export function endOf(tokens: readonly SqlToken[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    if (wordAt(tokens, at) === "case") depth += 1;
    if (wordAt(tokens, at) !== "end") continue;
    depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

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

/** True when this bracket holds the arguments of a function. */
export const isCall = (tokens: readonly SqlToken[], open: number): boolean => {
  const before = tokens[open - 1];
  return before?.kind === "name" || (before?.kind === "word" && !isBoundary(before));
};
