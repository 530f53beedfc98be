import type { SqlToken } from "./lexer.ts";
import { closeOf, isSign, openBefore, wordAt } from "./tokens.ts";

/** A name that `with` gives to a query. From token `from` to token `until` it means that query. */
interface CommonName {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

/**
 * Names behind `with` and its commas: `name [(columns)] AS [[NOT] MATERIALIZED] (`. Outside of its range the same name is a table. The
 * range begins behind the name's own query, or at the name when the query is recursive. It ends with the bracket in which `with` stands.
 */
export function commonNames(tokens: readonly SqlToken[]): readonly CommonName[] {
  if (!tokens.some((token) => token.kind === "word" && token.text === "with")) return [];
  const isRecursive = tokens.some((token) => token.kind === "word" && token.text === "recursive");
  return tokens.flatMap((token, at) => {
    const name = token.kind === "word" || token.kind === "name" ? token.text : undefined;
    const isFirst = ["with", "recursive"].includes(wordAt(tokens, at - 1) ?? "") || isSign(tokens[at - 1], ",");
    const query = name !== undefined && isFirst ? queryOf(tokens, at + 1) : undefined;
    if (name === undefined || query === undefined) return [];
    const around = openBefore(tokens, at);
    return [{ name, from: isRecursive ? at : closeOf(tokens, query), until: around < 0 ? tokens.length : closeOf(tokens, around) }];
  });
}

/** The place of the bracket in which the query of a name stands. */
function queryOf(tokens: readonly SqlToken[], from: number): number | undefined {
  let at = isSign(tokens[from], "(") ? closeOf(tokens, from) + 1 : from;
  if (wordAt(tokens, at) !== "as") return undefined;
  at += 1;
  while (["not", "materialized"].includes(wordAt(tokens, at) ?? "")) at += 1;
  return isSign(tokens[at], "(") ? at : undefined;
}
