import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Expr } from "#runtime/plan/index.ts";
import { any, anyArray, array, type Member, never, object, type Shape } from "#runtime/shapes/shape.ts";
import { isObject } from "#runtime/value/json.ts";
import { hasAlias, isWord, listIn, nameOf, type Token, tokensOf } from "./select-list.ts";

/** The rows of a query, as far as its text names their columns. The values have the shape `any` (spec/language 5.4.2). */
export function rowsShape(args: Expr, dialect: Dialect): Shape {
  const sql = queryIn(args);
  const tokens = sql === undefined ? undefined : tokensOf(withoutComments(sql, dialect), dialect);
  const verb = tokens?.[0]?.kind === "word" ? tokens[0].text.toLowerCase() : undefined;
  if (tokens === undefined || verb === undefined) return anyArray;
  if (verb !== "select" && verb !== "with" && !writing.has(verb)) return anyArray;
  const list = listIn(tokens);
  if (list === undefined) return writing.has(verb) && dialect !== "mssql" ? array(never) : anyArray;
  // `OUTPUT` of SQL Server gives rows, `SELECT … INTO` gives none, and `FOR JSON` gives one row with a column of another name.
  if (dialect === "mssql" && tokens.some((token) => isWord(token, "output", "into", "for"))) return anyArray;
  return array(rowShape(list, dialect, namesAsTable(tokens, dialect)));
}

/**
 * True when a column without `AS` has the name as written in its table, even if the query uses other capitals: in SQLite and SQL Server,
 * and in the views of MySQL about the schema.
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

/** The name of a column; empty when the database chooses the name, or when the item stands for several columns. */
function columnOf(item: readonly Token[], dialect: Dialect): string {
  const [first, second, ...more] = item;
  if (first === undefined) return "";
  if (second === undefined && isWord(first, "null", "true", "false", "current_date", "current_time", "current_timestamp", ...rowIds))
    return "";
  // PostgreSQL gives the column of a function the name of the function.
  if (dialect === "postgres" && second?.text === "(" && more.length === 0 && isWord(first, ...functions)) return first.text.toLowerCase();
  return nameOf(item, dialect);
}

/** Names of the row id. SQLite names such a column like the primary key if that is the row id. */
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

/** The text of a query, with `?` for every value; undefined when a hole may be more than a value, or the text is known only at run time. */
function queryIn(args: Expr): string | undefined {
  if (args.op === "lit") return isObject(args.value) && typeof args.value.query === "string" ? args.value.query : undefined;
  const query = args.op === "map" ? args.entries.find(([key]) => key === "query")?.[1] : undefined;
  if (query?.op === "lit") return typeof query.value === "string" ? query.value : undefined;
  if (query?.op !== "text") return undefined;
  const isValue = query.parts.every((part) => typeof part === "string" || (part.fill !== "raw" && part.fill !== "sql_identifier"));
  return isValue ? query.parts.map((part) => (typeof part === "string" ? part : "?")).join("") : undefined;
}

/**
 * The query with blanks in place of comments outside quotes. When quotes may contain text that looks like a comment, comments stay, and the
 * columns are then unknown.
 */
function withoutComments(sql: string, dialect: Dialect): string {
  if (!/--|\/\*/.test(sql) || /['"`$[]/.test(sql) || dialect === "mysql") return sql;
  return sql.replace(/--[^\n]*/g, " ").replace(/\/\*[^*]*\*\//g, " ");
}
