import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { isSign, nameAt, verbOf, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import { isNoisy } from "./session.ts";

/**
 * The index of the `;` behind the first statement that may choose another character set, or infinity. MySQL reads the statements behind it
 * in that set. A letter of the set may end with the byte of a backslash or of a backtick, so that no literal there is safe.
 */
export function charsetChosen(tokens: readonly SqlToken[], driver: Dialect): number {
  if (driver !== "mysql") return Number.POSITIVE_INFINITY;
  let from = 0;
  for (const [at, token] of tokens.entries()) {
    if (!isSign(token, ";")) continue;
    if (choosesCharset(tokens.slice(from, at))) return at;
    from = at + 1;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * True when a statement may choose a character set. `EXECUTE` runs a text that is unknown here. A block of several statements may begin
 * with `BEGIN NOT ATOMIC`.
 */
function choosesCharset(statement: readonly SqlToken[]): boolean {
  if (!isNoisy(statement, "mysql") && verbOf(statement) !== "begin") return false;
  return statement.some((_, at) => {
    const word = nameAt(statement, at) ?? "";
    return word === "execute" || (/^(?:names|charset|character|character_set_client)$/.test(word) && !isUnicode(statement.slice(at + 1)));
  });
}

/** True for UTF-8, which the driver uses in any case. */
function isUnicode(rest: readonly SqlToken[]): boolean {
  const at = rest.findIndex((token) => !isSign(token, ":") && !isSign(token, "=") && !(token.kind === "word" && token.text === "set"));
  return /^utf8(?:mb[34])?$/.test(wordAt(rest, at) ?? "");
}
