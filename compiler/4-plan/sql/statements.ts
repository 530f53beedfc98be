import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { statementsOf, verbOf } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";

/** True for several statements in one text, which only SQL Server runs with parameters. Other verbs may begin a block with `;` in it. */
export function areStatements(tokens: readonly SqlToken[], driver: Dialect): boolean {
  const statements = driver === "mssql" ? [] : statementsOf(tokens);
  return statements.length > 1 && statements.every((one) => /^(?:select|insert|update|delete|values|with)$/i.test(verbOf(one) ?? ""));
}
