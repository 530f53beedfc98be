import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { closeOf, foundOnce, isSign, nameAt, openBefore, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import { partAt } from "./operands.ts";

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
 * Finds the name of the function or statement that would run the text with the value at a token: data in such a text would be SQL, even
 * when they are escaped for the literal around. Undefined where the text is not run.
 */
export function runnersOf(tokens: readonly SqlToken[], driver: Dialect): (at: number) => string | undefined {
  const verdictAt = verdicts(tokens, driver);
  return (at) => {
    const verdict = verdictAt(at);
    if (verdict !== undefined) return verdict.runner;
    if (driver === "mysql") return statementRunner(tokens)[at];
    if (driver !== "mssql") return undefined;
    const before = wordAt(tokens, at - 1) === "n" ? at - 2 : at - 1;
    return nameAt(tokens, before) === "sp_executesql" ? "sp_executesql" : undefined;
  };
}

/** The word of a function about its argument: it runs the argument, or it quotes the argument and no runner is left. */
interface Verdict {
  readonly runner: string | undefined;
}

/** Finds the verdict of the functions around a token, from the inner ones to the outer ones; undefined where none has one. */
function verdicts(tokens: readonly SqlToken[], driver: Dialect): (at: number) => Verdict | undefined {
  // Many values may stand in the same brackets, and brackets may be nested deeply.
  const answers = new Map<number, Verdict | undefined>();
  return (at) => {
    const places: number[] = [];
    let place = at;
    let verdict: Verdict | undefined;
    while (place >= 0 && verdict === undefined && !answers.has(place)) {
      places.push(place);
      verdict = verdictOf(tokens, place, driver);
      place = openBefore(tokens, place);
    }
    verdict ??= answers.get(place);
    for (const each of places) answers.set(each, verdict);
    return verdict;
  };
}

/** The verdict of the innermost function around a token. */
function verdictOf(tokens: readonly SqlToken[], at: number, driver: Dialect): Verdict | undefined {
  const open = openBefore(tokens, at);
  if (open < 0) return undefined;
  const name = nameAt(tokens, open - 1) ?? "";
  if (quoting.test(name)) return { runner: undefined };
  if (driver === "mssql" && /^exec(?:ute)?$/.test(name)) return { runner: name.toUpperCase() };
  return runsArgument(tokens, open, partAt(tokens, at), name) ? { runner: name } : undefined;
}

function runsArgument(tokens: readonly SqlToken[], open: number, argument: number, name: string): boolean {
  // With three arguments, `ts_rewrite` only works on queries of a text search.
  if (name === "ts_rewrite") return argument === 1 && partAt(tokens, closeOf(tokens, open)) === 1;
  return runners.some(([names, texts]) => names.test(name) && texts.includes(argument));
}

/** For each token the statement that runs a text: `PREPARE name FROM text` or `EXECUTE IMMEDIATE text USING values`, also in a block. */
const statementRunner = foundOnce((tokens) => {
  const runner: (string | undefined)[] = [undefined];
  for (const at of tokens.keys()) {
    const word = wordAt(tokens, at);
    if (isSign(tokens[at], ";") || word === "using") runner.push(undefined);
    else if (word === "immediate" && wordAt(tokens, at - 1) === "execute") runner.push("EXECUTE IMMEDIATE");
    else if (word === "from" && wordAt(tokens, at - 2) === "prepare") runner.push("PREPARE");
    else runner.push(runner[at]);
  }
  return runner;
});
