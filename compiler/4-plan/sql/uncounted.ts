import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { isSign, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";

/** The text in a query that looks like a placeholder but is none; undefined when there is none. */
export function uncounted(text: string, tokens: readonly SqlToken[], driver: Dialect): string | undefined {
  const quoted = text.match(/'[^']*'/g)?.flatMap((constant) => /[$?]\d+|\?/.exec(constant)?.[0] ?? [])[0];
  if (quoted !== undefined) {
    const joined = driver === "mysql" || driver === "mssql" ? `CONCAT('%', ${quoted}, '%')` : `'%' || ${quoted} || '%'`;
    return `${quoted} stands inside a text, where it is no placeholder; put the text together: ${joined}`;
  }
  const colon = tokens.findIndex(
    (_, at) => isSign(tokens[at], ":") && !isSign(tokens[at - 1], ":") && wordAt(tokens, at + 1) !== undefined,
  );
  return colon < 0 ? undefined : `there are no named placeholders such as :${wordAt(tokens, colon + 1)}; write ? or $1`;
}
