import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { isSign, openBefore, statementsOf, verbOf, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";

const everywhere = ["select", "insert", "update", "delete", "with"];

/** Statements that take parameters. All others, such as `SET` and `CREATE`, take literals only. */
const verbs: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  postgres: new Set([...everywhere, "values", "merge", "table", "call"]),
  mysql: new Set([...everywhere, "values", "replace", "table", "do"]),
  mssql: new Set([...everywhere, "merge"]),
  sqlite: new Set([...everywhere, "values", "replace"]),
};

/**
 * Words behind which any expression may stand. Behind other words the servers accept only a constant: `INTERVAL '1 day'`, `DATE
 * '2024-01-01'`, `SEPARATOR ','`, `TOP 5`.
 */
const before: ReadonlySet<string> = new Set([
  ...[
    "select",
    "all",
    "distinct",
    "where",
    "and",
    "or",
    "xor",
    "not",
    "on",
    "having",
    "by",
    "between",
    "case",
    "when",
    "then",
    "else",
    "in",
  ],
  ...["like", "ilike", "rlike", "regexp", "glob", "match", "similar", "to", "escape", "from", "for", "placing", "values", "returning"],
  ...["limit", "offset", "div", "mod", "binary", "any", "some"],
]);

/** Brackets behind these hold a constant: the length of a type, the field of `EXTRACT`, the paths of `JSON_TABLE`. */
const constantsIn: ReadonlySet<string> = new Set([
  ...["extract", "json_table", "interval", "varchar", "nvarchar", "nchar", "char", "character", "varying", "decimal", "dec", "numeric"],
  ...["float", "bit", "binary", "varbinary", "time", "timestamp", "datetime2", "datetimeoffset"],
]);

/**
 * Decides which holes become parameters and which must be literals. Literals are needed where the server's protocol or grammar takes no
 * parameter, and where an expression must occur twice in the same form, as in `SELECT f(x, a|v|) … GROUP BY f(x, a|v|)`. When in doubt the
 * hole becomes a literal, which every place takes.
 */
export function parametersAmong(
  tokens: readonly SqlToken[],
  driver: Dialect,
  { multi, textOf }: { readonly multi: boolean; readonly textOf: (hole: number) => string },
): ReadonlySet<number> {
  const statements = statementsOf(tokens);
  // SQL Server takes parameters for a whole batch; other servers take them only for a single statement.
  const takesNone = multi || (statements.length > 1 && driver !== "mssql");
  if (takesNone || !statements.every((statement) => verbs[driver].has(verbOf(statement) ?? ""))) return new Set();
  const holes = tokens.flatMap((token, at) => (token.kind === "hole" && !token.raw && mayBind(tokens, at) ? [token.index] : []));
  if (driver === "sqlite" || !comparesExpressions(tokens)) return new Set(holes);
  const texts = tokens.flatMap((token) => (token.kind === "hole" ? [textOf(token.index)] : []));
  return new Set(holes.filter((hole) => texts.indexOf(textOf(hole)) === texts.lastIndexOf(textOf(hole))));
}

const comparesExpressions = (tokens: readonly SqlToken[]): boolean =>
  tokens.some((_, at) => wordAt(tokens, at) === "distinct" || (wordAt(tokens, at) === "group" && wordAt(tokens, at + 1) === "by"));

function mayBind(tokens: readonly SqlToken[], at: number): boolean {
  const last = tokens[at - 1];
  if (last === undefined || inConstants(tokens, at)) return false;
  switch (last.kind) {
    case "word":
      return before.has(last.text);
    case "sign":
      return !endsPath(tokens, at);
    default:
      return false;
  }
}

/** True behind `a.`, a cast `::`, and MySQL's `->` and `->>`. */
function endsPath(tokens: readonly SqlToken[], at: number): boolean {
  const last = tokens[at - 1];
  if (isSign(last, ".")) return true;
  if (isSign(last, ":")) return true;
  return isSign(last, ">") && (isSign(tokens[at - 2], "-") || (isSign(tokens[at - 2], ">") && isSign(tokens[at - 3], "-")));
}

/** True in brackets behind the type of a cast, or behind a word whose brackets hold constants. */
function inConstants(tokens: readonly SqlToken[], at: number): boolean {
  const open = openBefore(tokens, at);
  const word = open < 1 ? undefined : wordAt(tokens, open - 1);
  if (word === undefined) return false;
  return constantsIn.has(word) || wordAt(tokens, open - 2) === "as" || isSign(tokens[open - 2], ":");
}

/**
 * Holes beside a string constant or another value, with any blanks and comments between them. A server would join both to one text, read
 * the second by the rules of the first (`E'…'` continues in the next line), or refuse them.
 */
export function besideValue(tokens: readonly SqlToken[]): ReadonlyMap<number, string> {
  const places = new Map<number, string>();
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "hole" || token.raw) continue;
    const [last, next] = [tokens[at - 1], tokens[at + 1]];
    if (last?.kind === "string") places.set(token.index, "behind an SQL string constant");
    else if (last?.kind === "hole" && !last.raw) places.set(token.index, "behind another marker in SQL");
    else if (next?.kind === "string") places.set(token.index, "before an SQL string constant");
  }
  return places;
}
