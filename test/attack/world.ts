import { administer, mysqlServer } from "../harness/peers/mysql-server.ts";
import { server as postgresServer } from "../harness/peers/postgres-server.ts";

/** A database that is attacked: how it is reached, by one connection alone, so that every query meets what the one before has left. */
export interface Target {
  readonly driver: "postgres" | "mysql" | "sqlite";
  readonly conn_string: string;
  /** Makes what the connection needs, and takes it away. */
  readonly open: () => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** The database of MySQL that the tests of a process use. */
export const mysqlDatabase = `pipewright_attack_${process.pid}`;

const nothing = async (): Promise<void> => undefined;

/** The targets that are to be had here. */
export function targets(sqliteFile: string): readonly Target[] {
  const mysql: Target = {
    driver: "mysql",
    conn_string: `${mysqlServer}/${mysqlDatabase}`,
    open: () => administer(`DROP DATABASE IF EXISTS ${mysqlDatabase}; CREATE DATABASE ${mysqlDatabase}`),
    close: () => administer(`DROP DATABASE ${mysqlDatabase}`),
  };
  return [
    ...(postgresServer === undefined ? [] : [{ driver: "postgres" as const, conn_string: postgresServer, open: nothing, close: nothing }]),
    ...(mysqlServer === undefined ? [] : [mysql]),
    { driver: "sqlite", conn_string: `sqlite:${sqliteFile}`, open: nothing, close: nothing },
  ];
}

const drop = "DROP TABLE canary";

/** Fifty texts that end, open, hide or count as something in at least one of the languages. */
export const hostile: readonly string[] = [
  ...["'", "''", "'''", '"', '""', "`", "\\", "\\\\", "\\'", "\\''", '\\"', "'\\", "]", "0", "00", "-1", "1e3", "true", "NULL", ""],
  ...[
    `'; ${drop}; --`,
    "' OR '1'='1",
    "' OR 1=1 -- ",
    "' OR 1=1 #",
    "\\' OR 1=1 -- ",
    `\\'; ${drop}; -- `,
    `"; ${drop}; --`,
    "'/**/OR/**/1=1",
  ],
  ...[`1; ${drop}`, "1 OR 1=1", "1) UNION SELECT secret FROM canary -- ", `'); ${drop}; --`, "' || (SELECT secret FROM canary) || '"],
  ...[
    "--",
    "-- \n'",
    "#\n'",
    "/*",
    "*/",
    "/*! ' */",
    ";",
    "$$",
    "$1",
    "?",
    ":a",
    "@a",
    "\n'",
    "\u001a'",
    "縗\\' OR 1=1 -- ",
    "\uff07",
    "a|body::v|",
  ],
];

/** A query with a value in it, whose one row holds under the name `v` what `gives` says; absent: the value itself. */
export interface Position {
  readonly query: string;
  readonly params?: readonly string[];
  readonly gives?: (value: string) => string | number | boolean | null;
}

const v = "a|body::v|";
const zero = (): number => 0;

/** Positions that are the same in every language. */
const everywhere: readonly Position[] = [
  { query: `SELECT ${v} AS v` },
  { query: `SELECT(${v})AS v` },
  { query: `SELECT\n${v}\nAS v` },
  { query: `SELECT /* ' */ ${v} /* ' */ AS v` },
  { query: `SELECT 1 AS a, ${v} AS v` },
  { query: `SELECT COALESCE(${v}, 'x') AS v` },
  { query: `SELECT COALESCE(NULL, ${v}) AS v` },
  { query: `SELECT CASE WHEN 1 = 1 THEN ${v} ELSE 'x' END AS v` },
  { query: `SELECT CASE WHEN ${v} = ${v} THEN 'same' END AS v`, gives: () => "same" },
  { query: `SELECT (SELECT ${v}) AS v` },
  { query: `WITH q AS (SELECT ${v} AS v) SELECT v FROM q` },
  { query: `SELECT v FROM (SELECT ${v} AS v) AS q WHERE v = ${v}` },
  { query: `SELECT v FROM (SELECT ${v} AS v) AS q WHERE v IN (${v}, 'x')` },
  { query: `SELECT v FROM (SELECT ${v} AS v) AS q WHERE v BETWEEN ${v} AND ${v}` },
  { query: `SELECT v FROM (SELECT ${v} AS v) AS q WHERE NOT v <> ${v} AND 1 = 1` },
  { query: `SELECT v FROM (SELECT ${v} AS v) AS q ORDER BY v LIMIT 1` },
  { query: `SELECT ${v} AS v UNION SELECT ${v}` },
  { query: `SELECT DISTINCT ${v} AS v` },
  { query: `SELECT max(q.v) AS v FROM (SELECT ${v} AS v) AS q HAVING max(q.v) = ${v}` },
  { query: `SELECT count(*) AS v FROM canary WHERE secret = ${v}`, gives: zero },
  { query: `SELECT count(*) AS v FROM canary WHERE secret = ${v} AND 1 = 1`, gives: zero },
  { query: `SELECT count(*) AS v FROM canary WHERE secret IN (${v}, ${v})`, gives: zero },
  { query: `SELECT count(*) AS v FROM canary WHERE (secret) = (${v})`, gives: zero },
  { query: `SELECT count(*) AS v FROM canary WHERE secret = ?`, params: [v], gives: zero },
  { query: `SELECT count(*) AS v FROM canary WHERE secret = ${v} OR secret = ?`, params: [v], gives: zero },
  { query: `SELECT ${v} AS v FROM canary WHERE id = ?`, params: ["1"] },
  { query: `SELECT a|body::v->single_quote| AS v` },
  { query: `SELECT single_quote(${v}) AS v` },
  { query: `SELECT '${v}' AS v` },
  { query: `SELECT 'x-${v}-y' AS v`, gives: (value) => `x-${value}-y` },
  { query: `SELECT 'it''s ${v}' AS v`, gives: (value) => `it's ${value}` },
  { query: `SELECT '${v}${v}' AS v`, gives: (value) => value + value },
  { query: `SELECT '${v}' AS v -- '\n` },
  { query: `SELECT count(*) AS v FROM canary WHERE secret = '${v}'`, gives: zero },
  { query: `SELECT count(*) AS v FROM canary WHERE secret IN (a|body::list->array_values|)`, gives: zero },
  { query: `SELECT 1 AS a; SELECT ${v} AS v` },
  { query: `SELECT 1 AS a; SELECT 'x-${v}' AS v`, gives: (value) => `x-${value}` },
  { query: `SELECT 1 AS a; SELECT count(*) AS v FROM canary WHERE secret = ${v}`, gives: zero },
];

const own: Readonly<Record<Target["driver"], readonly Position[]>> = {
  postgres: [
    { query: `SELECT E'x-${v}' AS v`, gives: (value) => `x-${value}` },
    { query: `SELECT E'x'\n'${v}' AS v`, gives: (value) => `x${value}` },
    { query: `SELECT ${v}::text AS v` },
    { query: `SELECT concat(${v}, 'x') AS v`, gives: (value) => `${value}x` },
    { query: `SELECT count(*) AS v FROM generate_series(1, 2) AS n WHERE ${v} IS NULL`, gives: zero },
  ],
  mysql: [
    { query: `SELECT "x-${v}" AS v`, gives: (value) => `x-${value}` },
    { query: `SELECT 'x\\'${v}' AS v`, gives: (value) => `x'${value}` },
    { query: `SELECT CONCAT(${v}, 'x') AS v`, gives: (value) => `${value}x` },
    { query: `SELECT GROUP_CONCAT('a', 'b' SEPARATOR ${v}) AS v`, gives: () => "ab" },
  ],
  sqlite: [
    { query: `SELECT ${v} || 'x' AS v`, gives: (value) => `${value}x` },
    { query: `SELECT typeof(${v}) AS v`, gives: () => "text" },
    { query: `SELECT v FROM (SELECT ${v} AS v) WHERE v GLOB '*'` },
  ],
};

export const positionsOf = ({ driver }: Target): readonly Position[] => [...everywhere, ...own[driver]];
