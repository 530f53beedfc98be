import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { closeOf, isSign, nameAt, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";

/** Functions that run a text, or put one into a query, each with the indexes of the arguments that are such texts. */
const runners: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^(?:query_to_xml\w*|ts_stat|sys_e(?:xec|val))$/, [0]],
  [/^(?:crosstab\w*|dblink(?:_exec)?)$/, [0, 1]],
  [/^(?:connectby|dblink_(?:open|send_query)|open(?:query|rowset))$/, [0, 1, 2]],
  [/^xpath_table$/, [0, 1, 2, 4]],
];

/** Functions that make a literal or a name of their argument. */
const quoting = /^quote(?:_literal|_ident|_nullable)?$/;

/**
 * The name of the function or statement that would run the text with the value at a token: data in such a text would be SQL, even when they
 * are escaped for the literal around. Undefined where the text is not run.
 */
export function runnerOf(tokens: readonly SqlToken[], at: number, driver: Dialect): string | undefined {
  for (let open = openBefore(tokens, at); open >= 0; open = openBefore(tokens, open)) {
    const name = nameAt(tokens, open - 1) ?? "";
    if (quoting.test(name)) return undefined;
    if (driver === "mssql" && /^exec(?:ute)?$/.test(name)) return name.toUpperCase();
    if (runsArgument(tokens, open, at, name)) return name;
  }
  if (driver === "mysql") return statementRunner(tokens, at);
  if (driver !== "mssql") return undefined;
  const before = wordAt(tokens, at - 1) === "n" ? at - 2 : at - 1;
  return nameAt(tokens, before) === "sp_executesql" ? "sp_executesql" : undefined;
}

function runsArgument(tokens: readonly SqlToken[], open: number, at: number, name: string): boolean {
  const argument = commas(tokens, open, at);
  // With three arguments, `ts_rewrite` only works on queries of a text search.
  if (name === "ts_rewrite") return argument === 1 && commas(tokens, open, closeOf(tokens, open)) === 1;
  return runners.some(([names, texts]) => names.test(name) && texts.includes(argument));
}

/** The commas between the arguments of a bracket, up to a token. */
function commas(tokens: readonly SqlToken[], open: number, end: number): number {
  let count = 0;
  for (let at = open + 1; at < end; at++) {
    if (isSign(tokens[at], "(")) at = closeOf(tokens, at);
    else if (isSign(tokens[at], ",")) count += 1;
  }
  return count;
}

/** The statement that runs a text: `PREPARE name FROM text` or `EXECUTE IMMEDIATE text USING values`, also in a block. */
function statementRunner(tokens: readonly SqlToken[], end: number): string | undefined {
  for (let at = end - 1; at >= 0 && !isSign(tokens[at], ";"); at--) {
    const word = wordAt(tokens, at);
    if (word === "using") return undefined;
    if (word === "immediate" && wordAt(tokens, at - 1) === "execute") return "EXECUTE IMMEDIATE";
    if (word === "from" && wordAt(tokens, at - 2) === "prepare") return "PREPARE";
  }
  return undefined;
}
