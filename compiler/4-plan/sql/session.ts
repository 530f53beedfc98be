import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { closeOf, isSign, nameAt, statementsOf, verbOf, wordAt } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";

/**
 * True when a query may change the session of its connection: settings, temporary tables, user variables, locks, prepared statements,
 * subscriptions. Such a connection is reset before it serves another query. When in doubt it is reset: only statements that are known not
 * to change the session need no reset. A raw hole counts as a name here; if it is no name when the query runs, the connection is reset,
 * too.
 */
export function changesSession(tokens: readonly SqlToken[], driver: Dialect): boolean {
  return statementsOf(tokens).some((statement) => changes[driver](statement));
}

type Change = (statement: readonly SqlToken[]) => boolean;

const queries = ["select", "insert", "update", "delete", "with", "values", "explain", "analyze"];
const transactions = ["begin", "start", "commit", "rollback", "end", "savepoint", "release"];
const schema = ["create", "alter", "drop"];

const quiet: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  postgres: new Set([
    ...[...queries, ...transactions, ...schema, "abort", "merge", "table", "show", "truncate", "notify", "copy", "lock", "vacuum"],
    ...["grant", "revoke", "comment", "refresh", "reindex", "cluster", "checkpoint"],
  ]),
  mysql: new Set([
    ...[...queries, ...transactions, ...schema, "replace", "table", "show", "describe", "desc", "truncate", "rename", "optimize", "check"],
    ...["grant", "revoke", "signal"],
  ]),
  mssql: new Set([...queries, "merge", "truncate", "commit", "rollback", "grant", "revoke", "deny", "print"]),
  sqlite: new Set([...queries, ...transactions, ...schema, "replace", "vacuum", "reindex"]),
};

const hasWord = (statement: readonly SqlToken[], pattern: RegExp): boolean =>
  statement.some((token) => token.kind === "word" && pattern.test(token.text));

/**
 * True when a statement has a name that matches. A name in quotes counts as its text, and a name with escapes or a value in it may be any
 * name.
 */
const hasName = (statement: readonly SqlToken[], pattern: RegExp): boolean =>
  statement.some((_, at) => pattern.test(nameAt(statement, at) ?? "") || (isHidden(statement, at) && leadsOn(statement, at + 1)));

const isHidden = (statement: readonly SqlToken[], at: number): boolean => {
  const token = statement[at];
  return token?.kind === "name" && token.text === undefined;
};

/** True behind the name of a function or a schema. */
const leadsOn = (statement: readonly SqlToken[], at: number): boolean =>
  isSign(statement[at], "(") || isSign(statement[at], ".") || wordAt(statement, at) === "uescape";

export const isNoisy = (statement: readonly SqlToken[], driver: Dialect): boolean => !quiet[driver].has(verbOf(statement) ?? "");

const temporary = /^temp(?:orary)?$/;

/** True for `CREATE TEMP TABLE`, and for `CREATE TABLE temp.t`, where SQLite accepts both kinds of quotes around a name. */
const isTemporary: Change = (statement) => {
  if (!schema.includes(verbOf(statement) ?? "")) return false;
  const kind = statement.slice(1).find((token) => !(token.kind === "word" && /^(?:or|replace|local|global)$/.test(token.text)));
  if (kind?.kind === "word" && temporary.test(kind.text)) return true;
  return statement.some(
    (token, at) =>
      isSign(statement[at + 1], ".") && (token.kind === "string" || isHidden(statement, at) || temporary.test(nameAt(statement, at) ?? "")),
  );
};

/** Functions of PostgreSQL that change the session, and the schema of its temporary tables. */
const sessionNames = /^(?:pg_temp(?:_\d+)?|setseed|set_limit|dblink_connect\w*|pg_(?:try_)?advisory_lock(?:_shared)?)$/;

/** Functions of PostgreSQL that run a text as a query. */
const textRunners = /^(?:query_to_xml\w*|ts_stat|ts_rewrite|crosstab\w*|connectby|xpath_table)$/;

const changes: Readonly<Record<Dialect, Change>> = {
  postgres: (statement) =>
    !isLocal(statement) &&
    (isNoisy(statement, "postgres") ||
      isTemporary(statement) ||
      hasName(statement, sessionNames) ||
      hasName(statement, textRunners) ||
      (hasWord(statement, /^update$/) && statement.some((_, at) => isSettings(statement, at))) ||
      (verbOf(statement) === "explain" && hasWord(statement, /^create$/)) ||
      statement.some((_, at) => intoTemporary(statement, at) || setsConfig(statement, at))),
  // A user variable is `@name`, a variable of the server `@@name`.
  mysql: (statement) =>
    isNoisy(statement, "mysql") ||
    isTemporary(statement) ||
    beginsBlock(statement) ||
    hasName(statement, /^get_lock$/) ||
    statement.some((token, at) => isVariable(statement, at) || (isSign(token, "(") && setsInsertId(statement, at))),
  // Statements need no `;` between them, so later statements are recognized by their first word.
  mssql: (statement) =>
    isNoisy(statement, "mssql") ||
    hasWord(statement, /^(?:#.*|exec|execute|use|create|alter|drop|dbcc|open|revert|sp_\w+|xp_\w+)$/) ||
    hasName(statement, /^#/) ||
    count(statement, "set") > count(statement, "update"),
  sqlite: (statement) => isTemporary(statement) || (isNoisy(statement, "sqlite") && !readsPragma(statement)),
};

/** True for `SET LOCAL` and `SET TRANSACTION`, whose effect ends with their transaction. */
const isLocal: Change = (statement) =>
  verbOf(statement) === "set" && ["local", "transaction", "constraints"].includes(wordAt(statement, 1) ?? "");

/** True for `SELECT … INTO TEMP t`. */
function intoTemporary(statement: readonly SqlToken[], at: number): boolean {
  if (wordAt(statement, at) !== "into" || wordAt(statement, at - 1) === "insert") return false;
  const next = wordAt(statement, at + 1);
  return temporary.test((next === "local" || next === "global" ? wordAt(statement, at + 2) : next) ?? "");
}

/**
 * True for the view `pg_settings`, since an `UPDATE` of it calls `set_config`. An unknown name in the place of a table may be this view.
 */
function isSettings(statement: readonly SqlToken[], at: number): boolean {
  if (!isHidden(statement, at)) return nameAt(statement, at) === "pg_settings";
  const last = statement[at - 1];
  return isSign(last, ".") || isSign(last, "(") || ["update", "only"].includes(wordAt(statement, at - 1) ?? "");
}

/** True for `set_config(name, value, is_local)`, unless the last argument is the word `true`. */
function setsConfig(statement: readonly SqlToken[], at: number): boolean {
  if (nameAt(statement, at) !== "set_config") return false;
  const end = closeOf(statement, at + 1);
  return !(wordAt(statement, end - 1) === "true" && isSign(statement[end - 2], ","));
}

const isVariable = (statement: readonly SqlToken[], at: number): boolean =>
  isSign(statement[at], "@") && !isSign(statement[at - 1], "@") && !isSign(statement[at + 1], "@");

/** `BEGIN NOT ATOMIC` of MariaDB begins a block, in which any statement may stand; `BEGIN` and `BEGIN WORK` begin a transaction. */
const beginsBlock: Change = (statement) => verbOf(statement) === "begin" && statement.length > (wordAt(statement, 1) === "work" ? 2 : 1);

/** True for `LAST_INSERT_ID(expression)`, which sets the value of `LAST_INSERT_ID()`. */
const setsInsertId = (statement: readonly SqlToken[], open: number): boolean =>
  nameAt(statement, open - 1) === "last_insert_id" && !isSign(statement[open + 1], ")");

const count = (statement: readonly SqlToken[], word: string): number => statement.filter((_, at) => wordAt(statement, at) === word).length;

/** Pragmas that only read, with any argument in their brackets. */
const reading =
  /^(?:table_x?info|table_list|index_(?:list|x?info)|foreign_key_(?:list|check)|database_list|(?:integrity|quick)_check|optimize|wal_checkpoint)$/;

function readsPragma(statement: readonly SqlToken[]): boolean {
  if (verbOf(statement) !== "pragma") return false;
  const name = wordAt(statement, isSign(statement[2], ".") ? 3 : 1) ?? "";
  return !statement.some((token) => isSign(token, "=")) && (reading.test(name) || !statement.some((token) => isSign(token, "(")));
}
