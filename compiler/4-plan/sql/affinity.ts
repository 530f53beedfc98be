import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { isSign, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";

// SQLite compares a value with a column by the type of the column. With a computed value it compares by the types of the values, and every
// text is larger than every number: `count(*) > '5'` never holds.

/** Functions whose value is a number, or may be one. */
const numeric =
  /^(?:count|sum|total|avg|min|max|length|octet_length|abs|round|ceil(?:ing)?|floor|mod|power|sqrt|sign|instr|unicode|random|changes|last_insert_rowid|julianday|unixepoch|json_array_length|json_extract|row_number|rank|dense_rank|ntile|lag|lead|first_value|last_value|nth_value|coalesce|ifnull|nullif|iif)$/;

const arithmetic = /^[+*/%-]$/;

/** Words and signs between which an operand of a comparison lies. */
const boundary =
  /^(?:and|or|not|where|having|on|when|then|else|case|end|select|between|in|is|like|glob|from|group|order|limit|by|as|distinct|set|values|returning|union|except|intersect)$/;

/** Whether the value at this token is compared with an aggregate, another number that a function gives, or arithmetic. */
export function comparedWithNumber(tokens: readonly SqlToken[], at: number): boolean {
  const aliases = aliasesOf(tokens);
  const isNumber = (operand: readonly SqlToken[]): boolean => operand.some((_, i) => computes(operand, i, aliases));
  // The value itself is part of arithmetic or of a function, which turns it into a number.
  const start = startOf(tokens, at);
  if (start !== undefined) return isNumber(operandBefore(tokens, start));
  return isComparison(tokens[at + 1]) && isNumber(operandAfter(tokens, at + 1));
}

const isComparison = (token: SqlToken | undefined): boolean => token?.kind === "sign" && /^[<>=!]$/.test(token.text);

/** Where the comparison begins whose right side is the value: its first sign, `BETWEEN` or `IN`. */
function startOf(tokens: readonly SqlToken[], at: number): number | undefined {
  if (!endsOperand(tokens[at + 1])) return undefined;
  if (isComparison(tokens[at - 1])) {
    let start = at - 1;
    while (isComparison(tokens[start - 1])) start -= 1;
    return start;
  }
  if (wordAt(tokens, at - 1) === "between") return at - 1;
  if (wordAt(tokens, at - 1) === "and" && wordAt(tokens, at - 3) === "between") return at - 3;
  const open = openBefore(tokens, at);
  const isItem = isSign(tokens[at - 1], ",") || at - 1 === open;
  return isItem && wordAt(tokens, open - 1) === "in" ? open - 1 : undefined;
}

const endsOperand = (token: SqlToken | undefined): boolean =>
  token === undefined || (token.kind === "word" && boundary.test(token.text)) || (token.kind === "sign" && /^[),;<>=]$/.test(token.text));

/** The tokens before a comparison that belong to its left side, without the arguments of functions. */
function operandBefore(tokens: readonly SqlToken[], end: number): readonly SqlToken[] {
  const operand: SqlToken[] = [];
  const first = wordAt(tokens, end - 1) === "not" ? end - 2 : end - 1;
  for (let i = first; i >= 0; i--) {
    const token = tokens[i];
    if (token === undefined || isEdge(token, "(")) break;
    operand.unshift(token);
    if (!isSign(token, ")")) continue;
    const open = openBefore(tokens, i);
    operand.unshift(...(isCall(tokens, open) ? bracket : tokens.slice(Math.max(open, 0), i)));
    i = open;
  }
  return operand;
}

function operandAfter(tokens: readonly SqlToken[], comparison: number): readonly SqlToken[] {
  let start = comparison;
  while (isComparison(tokens[start])) start += 1;
  const operand: SqlToken[] = [];
  let depth = 0;
  for (const token of tokens.slice(start)) {
    if (depth === 0 && isEdge(token, ")")) break;
    if (isSign(token, ")")) depth -= 1;
    if (depth === 0) operand.push(token);
    if (isSign(token, "(")) depth += 1;
  }
  return operand;
}

const bracket: readonly SqlToken[] = [{ kind: "sign", text: "(" }];

const isCall = (tokens: readonly SqlToken[], open: number): boolean => {
  const word = wordAt(tokens, open - 1);
  return word !== undefined && !boundary.test(word);
};

const isEdge = (token: SqlToken, bracket: string): boolean =>
  (token.kind === "word" && boundary.test(token.text)) ||
  (token.kind === "sign" && (token.text === bracket || /^[,;<>=!]$/.test(token.text)));

/** A function of numbers, arithmetic between operands, or the name of such a value. */
function computes(operand: readonly SqlToken[], at: number, aliases: ReadonlySet<string>): boolean {
  const token = operand[at];
  if (token?.kind === "word") return isSign(operand[at + 1], "(") ? numeric.test(token.text) : aliases.has(token.text);
  return token?.kind === "sign" && arithmetic.test(token.text) && at > 0 && !isSign(operand[at - 1], "(");
}

/** Names that the query gives to values of such functions: `count(*) AS n`. */
function aliasesOf(tokens: readonly SqlToken[]): ReadonlySet<string> {
  const aliases = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (!isSign(token, ")")) continue;
    const name = wordAt(tokens, wordAt(tokens, at + 1) === "as" ? at + 2 : at + 1);
    const value = wordAt(tokens, openBefore(tokens, at) - 1);
    if (name !== undefined && !boundary.test(name) && value !== undefined && numeric.test(value)) aliases.add(name);
  }
  return aliases;
}
