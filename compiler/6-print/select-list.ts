import { isPlainName } from "#runtime/paths/member-edit.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Expr, Op } from "#runtime/plan/index.ts";
import { listIn, nameOf, tokensOf } from "../5-analyse/shapes/select-list.ts";
import { argumentAt } from "../jq/print/argument.ts";

/** The columns of the rows that an op gets: the columns of the query before it, if ops in between only leave rows out. */
export function columnsBefore(
  ops: readonly Op[],
  at: number,
  speaks: (database: string) => Dialect | "documents",
): readonly string[] | undefined {
  const op = ops[at - 1];
  if (op?.op === "check" || op?.op === "filter") return columnsBefore(ops, at - 1, speaks);
  if (op?.op !== "query" || op.use !== "database") return undefined;
  const dialect = speaks(op.database);
  const sql = dialect === "documents" ? undefined : queryIn(op.args);
  return sql === undefined || dialect === "documents" ? undefined : selectList(sql, dialect);
}

/** The text of the query, with `?` for every value that is filled in. */
function queryIn(args: Expr): string | undefined {
  const query = argumentAt(args, { member: "query" });
  if (query?.op === "lit") return typeof query.value === "string" ? query.value : undefined;
  return query?.op === "text" ? query.parts.map((part) => (typeof part === "string" ? part : "?")).join("") : undefined;
}

/**
 * The columns of a query in their order, when its text names them all: each is a column or has an alias with `AS`. Undefined for any other
 * query. The list is a prediction that affects only the speed: runtime/value/columns.ts compares it with the columns that the database has
 * sent.
 */
export function selectList(sql: string, dialect: Dialect): readonly string[] | undefined {
  const tokens = tokensOf(sql, dialect);
  const list = tokens === undefined ? undefined : listIn(tokens);
  const names = list?.map((item) => nameOf(item, dialect));
  if (names === undefined || names.length === 0 || !names.every(isPlainName) || new Set(names).size < names.length) return undefined;
  return names;
}
