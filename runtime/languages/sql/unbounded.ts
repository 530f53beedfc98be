import type { Dialect } from "../../plan/dialect.ts";
import type { SqlToken } from "./lexer.ts";
import { isSign, wordAt } from "./tokens.ts";

/** Functions that run a query which is only a text for us, call another server, or read and write files of the server. */
const reaching =
  /^(?:open(?:rowset|query|datasource)|dblink\w*|(?:query|table|schema|database|cursor)_to_xml\w*|pg_read_\w+|pg_ls_\w+|pg_stat_file|lo_(?:import|export)|load_file|load_extension|readfile|writefile|ts_stat|sys_e(?:xec|val))$/i;

/** Words of SQL Server that begin a statement even without a semicolon before it, and that cannot be names. */
const beginning: ReadonlySet<string> = new Set([
  ...["exec", "execute", "backup", "restore", "dbcc", "bulk", "kill", "grant", "revoke", "deny", "shutdown", "reconfigure"],
]);

/** Says whether the query may touch more at this token than the tables that it names. */
export function isUnbounded(tokens: readonly SqlToken[], at: number, dialect: Dialect): boolean {
  const token = tokens[at];
  if (token?.kind !== "word" && token?.kind !== "name") return false;
  if (isSign(tokens[at + 1], "(") && reaching.test(token.text ?? "")) return true;
  if (token.kind === "name") return false;
  if (token.text === "into") return ["outfile", "dumpfile"].includes(wordAt(tokens, at + 1) ?? "");
  if (dialect !== "mssql" || isSign(tokens[at - 1], ".")) return false;
  if (token.text === "use") return !["hint", "plan"].includes(wordAt(tokens, at + 1) ?? "");
  return beginning.has(token.text);
}
