import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { any, anyArray, array, type Member, never, object, type Shape } from "#runtime/shapes/shape.ts";
import { isObject } from "#runtime/value/json.ts";
import { hasAlias, isWord, listIn, nameOf, type Token, tokensOf } from "./select-list.ts";

/** The rows of a query, as far as its text says their columns: the values in them are open (spec/language 5.4.2). */
export function rowsShape(args: Expr, dialect: Dialect): Shape {
  const sql = queryIn(args);
  const tokens = sql === undefined ? undefined : tokensOf(withoutComments(sql, dialect), dialect);
  const verb = tokens?.[0]?.kind === "word" ? tokens[0].text.toLowerCase() : undefined;
  if (tokens === undefined || verb === undefined) return anyArray;
  if (verb !== "select" && verb !== "with" && !writing.has(verb)) return anyArray;
  const list = listIn(tokens);
  if (list === undefined) return writing.has(verb) && dialect !== "mssql" ? array(never) : anyArray;
  // `OUTPUT` of SQL Server gives rows, `SELECT … INTO` gives none, and `FOR JSON` one with a column of another name.
  if (dialect === "mssql" && tokens.some((token) => isWord(token, "output", "into", "for"))) return anyArray;
  return array(rowShape(list, dialect, namesAsTable(tokens, dialect)));
}

/**
 * True when a column without `AS` is called as its table calls it, whatever capitals the query has: in SQLite and SQL Server, and in the
 * views of MySQL about the schema.
 */
const namesAsTable = (tokens: readonly Token[], dialect: Dialect): boolean =>
  dialect === "sqlite" || dialect === "mssql" || tokens.some((token) => dialect === "mysql" && isWord(token, "information_schema"));

const writing: ReadonlySet<string> = new Set(["insert", "update", "delete", "replace"]);

function rowShape(list: readonly (readonly Token[])[], dialect: Dialect, asTable: boolean): Shape {
  const columns = list.map((item) => ({ name: columnOf(item, dialect), item }));
  const members = columns
    .filter(({ name }) => name !== "")
    .map(({ name, item }): [string, Member] => [
      name,
      asTable && !hasAlias(item) ? { shape: any, optional: true, anyCase: true } : { shape: any },
    ]);
  return object(new Map(members), members.length < columns.length ? any : undefined);
}

/** The name of a column; empty where the database chooses it, or gives several. */
function columnOf(item: readonly Token[], dialect: Dialect): string {
  const [first, second, ...more] = item;
  if (first === undefined) return "";
  if (second === undefined && isWord(first, "null", "true", "false", "current_date", "current_time", "current_timestamp", ...rowIds))
    return "";
  // PostgreSQL calls the column of a function by its name.
  if (dialect === "postgres" && second?.text === "(" && more.length === 0 && isWord(first, ...functions)) return first.text.toLowerCase();
  return nameOf(item, dialect);
}

/** SQLite calls them by the name of the primary key, where it is the same. */
const rowIds = ["rowid", "oid", "_rowid_"];

const functions = [
  "count",
  "sum",
  "avg",
  "min",
  "max",
  "now",
  "coalesce",
  "json_agg",
  "jsonb_agg",
  "array_agg",
  "string_agg",
  "lower",
  "upper",
];

/** The text of a query, with `?` for every value; undefined where a value is more than that, or the text is known only in a run. */
function queryIn(args: Expr): string | undefined {
  if (args.op === "lit") return isObject(args.value) && typeof args.value.query === "string" ? args.value.query : undefined;
  const query = args.op === "map" ? args.entries.find(([key]) => key === "query")?.[1] : undefined;
  if (query?.op === "lit") return typeof query.value === "string" ? query.value : undefined;
  if (query?.op !== "text") return undefined;
  const isValue = query.parts.every((part) => typeof part === "string" || (part.fill !== "raw" && part.fill !== "sql_identifier"));
  return isValue ? query.parts.map((part) => (typeof part === "string" ? part : "?")).join("") : undefined;
}

/** Comments outside of quotes become blanks; where a quote might hold what looks like one, they stay, and nothing is said of the query. */
function withoutComments(sql: string, dialect: Dialect): string {
  if (!/--|\/\*/.test(sql) || /['"`$[]/.test(sql) || dialect === "mysql") return sql;
  return sql.replace(/--[^\n]*/g, " ").replace(/\/\*[^*]*\*\//g, " ");
}
