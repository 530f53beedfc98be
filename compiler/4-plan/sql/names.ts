import type { Mark, SqlToken } from "#runtime/languages/sql/lexer.ts";
import { isSign, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";

/** Values that stand where SQL has a name or a keyword: the holes by their indexes, and the place of the first placeholder. */
export interface NamePlaces {
  readonly holes: ReadonlyMap<number, string>;
  readonly placeholder?: string;
}

/** Finds them, each with the words behind which it stands. A raw hole writes a name, so it is none of them. */
export function namePlaces(tokens: readonly SqlToken[], isPlaceholder: (mark: Mark) => boolean): NamePlaces {
  const holes = new Map<number, string>();
  let placeholder: string | undefined;
  for (const [at, token] of tokens.entries()) {
    const isValue = token.kind === "hole" ? !token.raw : token.kind === "mark" && isPlaceholder(token.mark);
    const place = isValue ? (tablePlace(tokens, at) ?? columnPlace(tokens, at) ?? orderPlace(tokens, at)) : undefined;
    if (place === undefined) continue;
    if (token.kind === "hole") holes.set(token.index, place);
    else placeholder ??= place;
  }
  return placeholder === undefined ? { holes } : { holes, placeholder };
}

/** Behind these words the name of a table stands. */
const beforeTable: ReadonlySet<string> = new Set(["join", "into", "update", "table"]);

function tablePlace(tokens: readonly SqlToken[], at: number): string | undefined {
  const last = wordAt(tokens, at - 1);
  if (last === undefined) return undefined;
  return beforeTable.has(last) || (last === "from" && beginsTables(tokens, at - 1)) ? last.toUpperCase() : undefined;
}

/** Tells the clause from the `FROM` of a function, as of `EXTRACT`, and of `IS DISTINCT FROM`. */
function beginsTables(tokens: readonly SqlToken[], from: number): boolean {
  if (wordAt(tokens, from - 1) === "distinct") return false;
  return clauseBefore(tokens, from, /^(?:select|delete|update)$/) !== undefined;
}

/** In the list of columns of an `INSERT`. */
function columnPlace(tokens: readonly SqlToken[], at: number): string | undefined {
  const open = openBefore(tokens, at);
  const isItem = (open === at - 1 || isSign(tokens[at - 1], ",")) && (isSign(tokens[at + 1], ",") || isSign(tokens[at + 1], ")"));
  if (open < 2 || !isItem || /^(?:select|with|values|table)$/.test(wordAt(tokens, open + 1) ?? "")) return undefined;
  let name = open - 1;
  while (isSign(tokens[name - 1], ".")) name -= 2;
  return wordAt(tokens, name - 1) === "into" ? "INSERT INTO" : undefined;
}

/** Words that may follow an item of `ORDER BY` or `GROUP BY`. */
const behindItem =
  /^(?:asc|desc|nulls|limit|offset|having|order|fetch|for|union|except|intersect|rows|range|groups|returning|window|with|separator)$/;

/** Words that want an operand behind them: what follows is no direction. */
const wantsOperand =
  /^(?:by|and|or|xor|not|when|then|else|case|between|in|is|like|ilike|rlike|regexp|glob|match|similar|to|escape|collate|div|mod|binary|any|some|all|from|interval|zone|date|time|timestamp|distinct|limit|offset|first|next|as|separator|using|rows|range|groups|filter)$/;

/** A whole item of `ORDER BY` or `GROUP BY`, or the direction of one. */
function orderPlace(tokens: readonly SqlToken[], at: number): string | undefined {
  const [last, next] = [tokens[at - 1], tokens[at + 1]];
  const isEnd =
    next === undefined || (next.kind === "word" ? behindItem.test(next.text) : next.kind === "sign" && /^[,);]$/.test(next.text));
  if (!isEnd || last === undefined) return undefined;
  const by = clauseBefore(tokens, at, clauses);
  const kind = by === undefined || wordAt(tokens, by) !== "by" ? undefined : wordAt(tokens, by - 1);
  if (kind !== "order" && kind !== "group") return undefined;
  const isItem = at - 1 === by || isSign(last, ",");
  const isDirection = kind === "order" && (last.kind === "name" || isSign(last, ")") || isName(last));
  return isItem || isDirection ? `${kind.toUpperCase()} BY` : undefined;
}

const isName = (token: SqlToken): boolean => token.kind === "word" && !wantsOperand.test(token.text) && !/^\d/.test(token.text);

/** Words that begin a clause. */
const clauses = /^(?:by|select|from|where|having|limit|offset|fetch|values|set|on|window|returning)$/;

/** The nearest word before a token, outside of brackets that are closed, which the pattern matches. */
function clauseBefore(tokens: readonly SqlToken[], at: number, pattern: RegExp): number | undefined {
  for (let i = at - 1; i >= 0; i--) {
    if (isSign(tokens[i], ")")) i = openBefore(tokens, i);
    else if (isSign(tokens[i], "(") || isSign(tokens[i], ";")) return undefined;
    else if (pattern.test(wordAt(tokens, i) ?? "")) return i;
  }
  return undefined;
}
