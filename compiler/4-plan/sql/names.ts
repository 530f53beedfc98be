import type { Mark, SqlToken } from "#runtime/languages/sql/lexer.ts";
import { foundOnce, isSign, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";

/** Values in places where SQL has a name or a keyword: the holes by their indexes, and the place of the first placeholder. */
export interface NamePlaces {
  readonly holes: ReadonlyMap<number, string>;
  readonly placeholder?: string;
}

/** Finds these values, each with the words before it. A raw hole is no value, because its text is meant as a name. */
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

/** Words that the name of a table follows. */
const beforeTable: ReadonlySet<string> = new Set(["join", "into", "update", "table"]);

function tablePlace(tokens: readonly SqlToken[], at: number): string | undefined {
  const last = wordAt(tokens, at - 1);
  if (last === undefined) return undefined;
  return beforeTable.has(last) || (last === "from" && beginsTables(tokens, at - 1)) ? last.toUpperCase() : undefined;
}

/** True for the `FROM` of a clause, in contrast to the `FROM` in a function such as `EXTRACT`, or in `IS DISTINCT FROM`. */
function beginsTables(tokens: readonly SqlToken[], from: number): boolean {
  if (wordAt(tokens, from - 1) === "distinct") return false;
  return nearestVerb(tokens, from) !== undefined;
}

/** The words for a place in the list of columns of an `INSERT`; undefined for other places. */
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

/** Words that need an operand behind them, so the next token is no direction. */
const wantsOperand =
  /^(?:by|and|or|xor|not|when|then|else|case|between|in|is|like|ilike|rlike|regexp|glob|match|similar|to|escape|collate|div|mod|binary|any|some|all|from|interval|zone|date|time|timestamp|distinct|limit|offset|first|next|as|separator|using|rows|range|groups|filter)$/;

/** The words for the place of a whole item of `ORDER BY` or `GROUP BY`, or of a direction; undefined for other places. */
function orderPlace(tokens: readonly SqlToken[], at: number): string | undefined {
  const [last, next] = [tokens[at - 1], tokens[at + 1]];
  const isEnd =
    next === undefined || (next.kind === "word" ? behindItem.test(next.text) : next.kind === "sign" && /^[,);]$/.test(next.text));
  if (!isEnd || last === undefined) return undefined;
  const by = nearestClause(tokens, at);
  const kind = by === undefined || wordAt(tokens, by) !== "by" ? undefined : wordAt(tokens, by - 1);
  if (kind !== "order" && kind !== "group") return undefined;
  const isItem = at - 1 === by || isSign(last, ",");
  const isDirection = kind === "order" && (last.kind === "name" || isSign(last, ")") || isName(last));
  return isItem || isDirection ? `${kind.toUpperCase()} BY` : undefined;
}

const isName = (token: SqlToken): boolean => token.kind === "word" && !wantsOperand.test(token.text) && !/^\d/.test(token.text);

/**
 * Makes a function that finds the nearest word before a token that matches the pattern, outside closed brackets. Its index is undefined
 * where the bracket or the statement begins before such a word.
 */
function nearestWord(pattern: RegExp): (tokens: readonly SqlToken[], at: number) => number | undefined {
  const nearest = foundOnce((tokens) => {
    const before: (number | undefined)[] = [undefined];
    for (const [at, token] of tokens.entries()) {
      if (isSign(token, ")")) before.push(before[openBefore(tokens, at)]);
      else if (isSign(token, "(") || isSign(token, ";")) before.push(undefined);
      else before.push(pattern.test(wordAt(tokens, at) ?? "") ? at : before[at]);
    }
    return before;
  });
  return (tokens, at) => nearest(tokens)[at];
}

const nearestClause = nearestWord(/^(?:by|select|from|where|having|limit|offset|fetch|values|set|on|window|returning)$/);
const nearestVerb = nearestWord(/^(?:select|delete|update)$/);
