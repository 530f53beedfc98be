import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Dialect } from "#runtime/plan/dialect.ts";
import { readScalar } from "../../../compiler/4-plan/lower/scalar.ts";
import { type Lowering, scope } from "../../../compiler/4-plan/markers/scope.ts";
import { type LoweredQuery, lowerQuery, type QuerySetting } from "../../../compiler/4-plan/sql/index.ts";
import { collector } from "../../../compiler/diagnostics/collect.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { evaluated, nodeOf, usual, type World } from "./lowering.ts";

interface Lowered extends Pick<LoweredQuery, "values"> {
  /** Whether it changes its session; "maybe" where a text of the configuration decides. */
  readonly session: boolean | "maybe";
  readonly expr: Expr;
  readonly order: readonly number[] | undefined;
  readonly found: readonly string[];
}

/** Lowers a query with so many params. */
function lowered(query: string, driver: Dialect, count = 0, more: Partial<QuerySetting> = {}): Lowered {
  const node = nodeOf(`v: ${JSON.stringify(query)}`);
  if (node.kind !== "scalar") throw new Error("no scalar");
  const { report, diagnostics } = collector();
  const cx: Lowering = { report, unsupported: () => undefined, scope: scope(usual), definitions: {} };
  const params = count === 0 ? {} : { params: { span: { file: "t.yml", start: 0, end: 1 }, count } };
  const { text: expr, ...rest } = lowerQuery(readScalar(node, report, { code: true }), cx, { driver, ...params, ...more });
  return {
    expr,
    values: rest.values,
    session: rest.session === undefined ? false : rest.session.op === "lit" || "maybe",
    order: rest.order,
    found: diagnostics().map(({ code, severity, message }) => `${severity} ${code} ${message}`),
  };
}

/** The text that the database gets. */
function text(query: string, driver: Dialect, world: World = {}, count = 0, more: Partial<QuerySetting> = {}): string {
  const { expr, found } = lowered(query, driver, count, more);
  expect(found.filter((finding) => !finding.includes("PW416"))).toEqual([]);
  return String(evaluated(expr, world));
}

/** The text of a query of which the database takes no parameters. */
const literally = (query: string, driver: Dialect, world: World): string => text(query, driver, world, 0, { multi: true });

/** The text and what is bound for its holes. */
function bound(query: string, driver: Dialect, world: World): readonly [string, ...Json[]] {
  const { values } = lowered(query, driver);
  return [text(query, driver, world), ...values.map((value) => evaluated(value, world))];
}

describe("placeholders", () => {
  test.each<[string, number, string, string]>([
    ["SELECT ?, ?", 2, "SELECT $1, $2", "SELECT ?1, ?2"],
    ["SELECT $2, $1, $1", 2, "SELECT $2, $1, $1", "SELECT ?2, ?1, ?1"],
    ["SELECT ?2, ?1", 2, "SELECT $2, $1", "SELECT ?2, ?1"],
    ["SELECT '?', \"?\", ? -- ?\n/* ? */", 1, "SELECT '?', \"?\", $1 -- ?\n/* ? */", "SELECT '?', \"?\", ?1 -- ?\n/* ? */"],
    ["SELECT 'it''s ?', ?", 1, "SELECT 'it''s ?', $1", "SELECT 'it''s ?', ?1"],
    ["SELECT a$1, ? || ?||'x'", 2, "SELECT a$1, $1 || $2||'x'", "SELECT a$1, ?1 || ?2||'x'"],
    ["SELECT 1 WHERE a=? AND b IN (?,?)", 3, "SELECT 1 WHERE a=$1 AND b IN ($2,$3)", "SELECT 1 WHERE a=?1 AND b IN (?2,?3)"],
  ])("%s", (query, count, postgres, sqlite) => {
    expect([text(query, "postgres", {}, count), text(query, "sqlite", {}, count)]).toEqual([postgres, sqlite]);
  });

  test.each<[string, number, string]>([
    ["SELECT $$ ? $1 $$, $x$ $$ ? $x$, ?", 1, "SELECT $$ ? $1 $$, $x$ $$ ? $x$, $1"],
    ["SELECT E'\\'?', 'a\\', ?", 1, "SELECT E'\\'?', 'a\\', $1"],
    ["SELECT /* a /* ? */ ? */ ?", 1, "SELECT /* a /* ? */ ? */ $1"],
    ["SELECT E'a'\n'b\\'?' , ?", 1, "SELECT E'a'\n'b\\'?' , $1"],
    ["SELECT x ? 'k', x ?| ARRAY['k'], x ?& y, x @? '$.a', ?", 1, "SELECT x ? 'k', x ?| ARRAY['k'], x ?& y, x @? '$.a', $1"],
    ["SELECT x ? ?", 1, "SELECT x ? $1"],
    ["SELECT ?::text, $1::int[2:3]", 1, "SELECT ?::text, $1::int[2:3]"],
    ["SELECT ?::text", 1, "SELECT $1::text"],
    ["SELECT x ? y, $1", 1, "SELECT x ? y, $1"],
  ])("of PostgreSQL: %s", (query, count, expected) => {
    expect(text(query, "postgres", {}, count)).toBe(expected);
  });

  test.each<[string, string]>([
    ["SELECT `?`, [?], :id, @id, ?", "SELECT `?`, [?], ?1, ?2, ?3"],
    ["SELECT :a, :b, :a", "SELECT ?1, ?2, ?1"],
    ["SELECT ?5, ?, '\\', ?", "SELECT ?5, ?6, '\\', ?7"],
    ["SELECT /* /* ? */ ?", "SELECT /* /* ? */ ?1"],
    ["SELECT U&'\\' || ?", "SELECT U&'\\' || ?1"],
  ])("of SQLite: %s", (query, expected) => {
    const count = Math.max(...Array.from(expected.matchAll(/\?(\d+)/g), ([, digits]) => Number(digits)));
    expect(text(query, "sqlite", {}, count)).toBe(expected);
  });

  test.each<[string, number, string, number[] | undefined]>([
    ["SELECT ?, ?", 2, "SELECT ?, ?", undefined],
    ["SELECT $1, $2", 2, "SELECT ?, ?", undefined],
    ["SELECT $2, $1, $1", 2, "SELECT ?, ?, ?", [1, 0, 0]],
    ["SELECT $2, ?", 3, "SELECT ?, ?", [1, 2]],
    ["SELECT '\\'?', \"\\\"?\", `?`, ? # ?\n/* ? */-- ?\n", 1, "SELECT '\\'?', \"\\\"?\", `?`, ? # ?\n/* ? */-- ?\n", undefined],
    ["SELECT 1--?, 'a''?', ?", 2, "SELECT 1--?, 'a''?', ?", undefined],
    ["SELECT a$1, @?, ?", 2, "SELECT a$1, @?, ?", undefined],
    ["SELECT /*! ?, */ ?", 2, "SELECT /*! ?, */ ?", undefined],
  ])("of MySQL, which knows no numbers: %s", (query, count, expected, wanted) => {
    const { expr, found, order } = lowered(query, "mysql", count);
    expect([found, evaluated(expr, {}), order]).toEqual([[], expected, wanted]);
  });

  test.each<[string, number, string]>([
    ["SELECT ?, ?", 2, "SELECT @p1, @p2"],
    ["SELECT $2, $1, $1", 2, "SELECT @p2, @p1, @p1"],
    ["SELECT @P2, @p1, ?", 3, "SELECT @p2, @p1, @p3"],
    ["SELECT N'?', \"?\", [?]]?], ? -- ?\n/* /* ? */ ? */", 1, "SELECT N'?', \"?\", [?]]?], @p1 -- ?\n/* /* ? */ ? */"],
    ["SELECT @param1, @@version, #t.a, ?", 1, "SELECT @param1, @@version, #t.a, @p1"],
    ["SELECT 'a\\', ?", 1, "SELECT 'a\\', @p1"],
  ])("of SQL Server: %s", (query, count, expected) => {
    expect(text(query, "mssql", {}, count)).toBe(expected);
  });

  test("keep their numbers next to holes", () => {
    expect(text("SELECT ?, a|body::v|, ?", "postgres", { body: { v: "x" } }, 2)).toBe("SELECT $1, $3, $2");
    expect(text("SELECT \\a| ?, a|body::v|", "sqlite", { body: { v: 1 } }, 1)).toBe("SELECT a| ?1, ?2");
    expect(lowered("SELECT ?, a|body::v|, ?", "mysql", 2).order).toEqual([0, 2, 1]);
    expect(lowered("SELECT a|body::v|, a|body::w|", "mysql").order).toBeUndefined();
  });
});

describe("diagnostics", () => {
  test.each<[string, Dialect, number, string[]]>([
    ["SELECT '?', ?, ? -- ?", "sqlite", 1, ["error PW414 query has 2 placeholders, params has 1"]],
    ["SELECT $3", "postgres", 2, ["error PW414 query has 3 placeholders, params has 2"]],
    ["SELECT 1", "postgres", 1, ["error PW414 query has 0 placeholders, params has 1"]],
    ["SELECT :id", "sqlite", 0, ["error PW414 query has 1 placeholders, params has 0"]],
    ["SELECT x ? 'k', ?", "postgres", 2, ["warning PW414 query has 1 placeholders, params has 2"]],
    ["SELECT x ?| y, $1", "postgres", 0, ["warning PW414 query has 1 placeholders, params has 0"]],
    ["SELECT 1 -- a|body::v|", "postgres", 0, ["error PW415 marker inside an SQL comment"]],
    [
      "SELECT 1 /* a|body::v| */, 'a|body::v|'",
      "sqlite",
      0,
      ["error PW415 marker inside an SQL comment", "warning PW416 prefer params to a marker in SQL"],
    ],
    ["SELECT $q$ a|body::v| $q$", "postgres", 0, ["error PW415 marker inside an SQL dollar quote"]],
    ["SELECT U&'a|body::v|'", "postgres", 0, ["error PW415 marker inside an SQL Unicode escape string"]],
    ["SELECT E'\\single_quote(a|body::v|)'", "postgres", 0, ["error PW415 marker inside an SQL escape sequence"]],
    ["SELECT 1 # a|body::v|", "mysql", 0, ["error PW415 marker inside an SQL comment"]],
    ["SELECT 1 --a|body::v|", "mysql", 0, ["error PW415 marker inside an SQL comment"]],
    ["SELECT /*! a|body::v| */ 1", "mysql", 0, ["error PW415 marker inside an SQL comment"]],
    ["SELECT /*!50000 ' */ a|body::v|", "mysql", 0, ["error PW415 marker inside an SQL comment"]],
    ["SELECT 'a\\single_quote(a|body::v|)'", "mysql", 0, ["error PW415 marker inside an SQL escape sequence"]],
    ["SELECT 1 /* /* */ a|body::v| */", "mssql", 0, ["error PW415 marker inside an SQL comment"]],
    ["SELECT [a|body::v|]", "mssql", 0, []],
    ["SELECT [a|body::v|]", "sqlite", 0, ["error PW415 marker inside an SQL bracketed name"]],
    ["SELECT 1 -- \ra|body::v|", "sqlite", 0, ["error PW415 marker inside an SQL comment"]],
    ["SELECT a|body::v|, a|body::w|", "sqlite", 0, ["warning PW416 prefer params to a marker in SQL"]],
    ['SELECT "a|body::v|"', "sqlite", 0, []],
    ["SELECT 1 ORDER BY a|env::C->raw|", "sqlite", 0, []],
    ["SELECT 1 ORDER BY a|body::c->raw|", "sqlite", 0, ["error PW215 ->raw is not allowed on request or action data in SQL"]],
  ])("%s on %s with %d params", (query, driver, count, expected) => {
    expect([...lowered(query, driver, count).found].sort()).toEqual(expected);
  });

  test("multi has no params; params from a marker are not counted", () => {
    expect(lowered("SELECT ?", "sqlite", 1, { multi: true }).found).toEqual(["error PW413 multi cannot have params"]);
    const params = { span: { file: "t.yml", start: 0, end: 1 } };
    expect(lowered("SELECT ?, ?", "sqlite", 0, { params }).found).toEqual([]);
  });
});

describe("holes by place and type", () => {
  const body = {
    n: -5,
    d: "007",
    s: "it's",
    q: 'say "`hi`"',
    b: true,
    o: { k: ["'"] },
    list: [1, "a'b", null, "2", [3]],
    none: [],
    e: "1e5",
    back: "\\'",
  };
  test.each<[string, string, string]>([
    ["SELECT a|body::n|, a|body::d|, a|body::e|", "SELECT (-5), '007', '1e5'", "SELECT (-5), '007', '1e5'"],
    ["SELECT a|body::s|,a|body::gone|,a|body::b|", "SELECT 'it''s',NULL,TRUE", "SELECT 'it''s',NULL,1"],
    ["SELECT a|body::o|", `SELECT '{"k":["''"]}'`, `SELECT '{"k":["''"]}'`],
    ["SELECT a|body::n->single_quote|, a|single_quote(body::gone)|", "SELECT '-5', ''", "SELECT '-5', ''"],
    ["SELECT single_quote(a|body::s|)", "SELECT 'it''s'", "SELECT 'it''s'"],
    ["IN (a|body::list->array_values|)", "IN (1, 'a''b', NULL, '2', '[3]')", "IN (1, 'a''b', NULL, '2', '[3]')"],
    ["IN (a|body::none->array_values|, a|body::n->array_values|)", "IN (NULL, (-5))", "IN (NULL, (-5))"],
    ["LIKE '%a|body::s|%' || 'a|body::gone|'", "LIKE '%it''s%' || ''", "LIKE '%it''s%' || ''"],
    ['SELECT 1 AS "x a|body::q|"', 'SELECT 1 AS "x say ""`hi`"""', 'SELECT 1 AS "x say ""`hi`"""'],
    ["SELECT 1-a|body::n|", "SELECT 1- (-5)", "SELECT 1- (-5)"],
    ["a|env::SQL->raw|a|env::SQL->raw|", "SELECT 1SELECT 1", "SELECT 1SELECT 1"],
  ])("%s", (query, postgres, sqlite) => {
    const world = { body, env: { SQL: "SELECT 1" } };
    expect([literally(query, "postgres", world), literally(query, "sqlite", world)]).toEqual([postgres, sqlite]);
  });

  test.each<[string, string, string]>([
    ["SELECT a|body::n|, a|body::d|, a|body::b|", "SELECT (-5), '007', TRUE", "SELECT (-5), N'007', 1"],
    ["SELECT a|body::s|, a|body::back|", "SELECT 'it''s', '\\\\'''", "SELECT N'it''s', N'\\'''"],
    ["SELECT a|body::s->single_quote|, a|body::gone|", "SELECT 'it''s', NULL", "SELECT N'it''s', NULL"],
    ["IN (a|body::list->array_values|)", "IN (1, 'a''b', NULL, '2', '[3]')", "IN (1, N'a''b', NULL, N'2', N'[3]')"],
    ["SELECT 'x a|body::back|'", "SELECT 'x \\\\'''", "SELECT 'x \\'''"],
    ['SELECT "x a|body::q|"', 'SELECT "x say ""`hi`"""', 'SELECT "x say ""`hi`"""'],
    ['SELECT "x a|body::back|"', 'SELECT "x \\\\\'"', 'SELECT "x \\\'"'],
  ])("in MySQL and SQL Server: %s", (query, inMysql, inMssql) => {
    expect([literally(query, "mysql", { body }), literally(query, "mssql", { body })]).toEqual([inMysql, inMssql]);
  });

  test.each<[string, Dialect, readonly [string, ...Json[]]]>([
    ["SELECT a|body::n|, a|body::d|,a|body::b|", "postgres", ["SELECT $1, $2,$3", -5, "007", true]],
    ["SELECT a|body::o|, a|body::gone|", "sqlite", ["SELECT ?1, ?2", { k: ["'"] }, null]],
    ["SELECT a|body::n->single_quote|, single_quote(a|body::gone|)", "mysql", ["SELECT ?, ?", "-5", ""]],
    ["SELECT 1-a|body::n|::int", "postgres", ["SELECT 1- $1 ::int", -5]],
    ["SELECT $a|body::n|", "postgres", ["SELECT $ $1", -5]],
    ["SELECT a|body::n|$", "mssql", ["SELECT @p1 $", -5]],
    ["SELECT 'it''s' || a|body::s| || 'a|body::s|'", "sqlite", ["SELECT 'it''s' || ?1 || 'it''s'", "it's"]],
    ["WHERE a IN (a|body::list->array_values|) AND b = a|body::n|", "sqlite", ["WHERE a IN (1, 'a''b', NULL, '2', '[3]') AND b = (-5)"]],
    [
      "SELECT 1 WHERE a IN (a|body::list->array_values|) AND b = a|body::n|",
      "sqlite",
      ["SELECT 1 WHERE a IN (1, 'a''b', NULL, '2', '[3]') AND b = ?1", -5],
    ],
  ])("bare holes are parameters: %s on %s", (query, driver, expected) => {
    expect(bound(query, driver, { body })).toEqual(expected);
  });

  test.each<[string, Dialect]>([
    ["SET timezone = a|body::s|", "postgres"],
    ["SELECT 1; SELECT a|body::s|", "postgres"],
    ["SELECT now() - INTERVAL a|body::s|", "postgres"],
    ["SELECT DATE a|body::s|", "postgres"],
    ["SELECT TIMESTAMP WITH TIME ZONE a|body::s|", "postgres"],
    ["SELECT EXTRACT(a|body::s| FROM now())", "postgres"],
    ["SELECT 'x'::varchar(a|body::s|)", "postgres"],
    ["SELECT CAST(1 AS numeric(10, a|body::s|))", "postgres"],
    ["SELECT f(a|body::s|), count(*) FROM t GROUP BY f(a|body::s|)", "postgres"],
    ["EXPLAIN SELECT a|body::s|", "postgres"],
    ["CREATE VIEW v AS SELECT a|body::s|", "sqlite"],
    ["PRAGMA user_version = a|body::s|", "sqlite"],
    ["SELECT GROUP_CONCAT(x SEPARATOR a|body::s|) FROM t", "mysql"],
    ["SELECT data-> a|body::s|", "mysql"],
    ["SELECT data->> a|body::s|", "mysql"],
    ["SET @x = a|body::s|", "mysql"],
    ["EXEC p a|body::s|", "mssql"],
    ["SELECT TOP a|body::s| * FROM t", "mssql"],
  ])("where no parameter can stand a text is a quoted literal: %s on %s", (query, driver) => {
    const [sql, ...values] = bound(query, driver, { body });
    expect([sql, values]).toEqual([query.replaceAll("a|body::s|", driver === "mssql" ? "N'it''s'" : "'it''s'"), []]);
  });

  test.each<[string, Dialect, string]>([
    ["SELECT E'x'\na|body::v|", "postgres", "behind an SQL string constant"],
    ["SELECT 'x'a|body::v|", "postgres", "behind an SQL string constant"],
    ["SELECT 'x' -- a comment\n /* and one */ a|body::v|", "postgres", "behind an SQL string constant"],
    ["SELECT $$x$$ a|body::v|", "postgres", "behind an SQL string constant"],
    ["SELECT U&'x' a|body::v|", "postgres", "behind an SQL string constant"],
    ["SELECT B'1' a|body::v|", "postgres", "behind an SQL string constant"],
    ["SELECT 'a|body::n|' a|body::v|", "postgres", "behind an SQL string constant"],
    ['SELECT "x" a|body::v|', "mysql", "behind an SQL string constant"],
    ["SELECT 'x' # comment\n a|body::v|", "mysql", "behind an SQL string constant"],
    ["SELECT _latin1'x' a|body::v|", "mysql", "behind an SQL string constant"],
    ["SELECT N'x' a|body::v|", "mssql", "behind an SQL string constant"],
    ["SELECT x'00' a|body::v|", "sqlite", "behind an SQL string constant"],
    ["SELECT a|body::v| 'x'", "mysql", "before an SQL string constant"],
    ["SELECT a|body::v|\n'x'", "postgres", "before an SQL string constant"],
    ["SELECT a|body::w|a|body::v|", "mysql", "behind another marker in SQL"],
  ])("a hole beside another value is refused: %s on %s", (query, driver, place) => {
    expect(lowered(query, driver).found.filter((finding) => finding.startsWith("error"))).toEqual([`error PW415 marker ${place}`]);
  });

  test.each<[string, Dialect]>([
    ["SELECT 'x' || a|body::v|", "postgres"],
    ["SELECT 'x', a|body::v|, 'y'", "mysql"],
    ["SELECT a FROM t WHERE b LIKE 'x' ESCAPE a|body::v|", "sqlite"],
    ['SELECT "x" = a|body::v|', "postgres"],
    ["SELECT 'x' a|env::REST->raw|", "postgres"],
  ])("an operator, a comma or a word between them is enough: %s on %s", (query, driver) => {
    expect(lowered(query, driver).found.filter((finding) => finding.startsWith("error"))).toEqual([]);
  });

  test("in MySQL's backticks, SQL Server's brackets, and where a backslash would take a line break away", () => {
    expect(text("SELECT 1 AS `a|body::q|`", "mysql", { body })).toBe('SELECT 1 AS `say "``hi``"`');
    expect(text("SELECT 1 AS [a|body::v|]", "mssql", { body: { v: "a]; DROP" } })).toBe("SELECT 1 AS [a]]; DROP]");
    expect(literally("SELECT a|body::v|", "mssql", { body: { v: "a\\\r\nb\\\nc\\d" } })).toBe("SELECT N'a\\\\\r\n\r\nb\\\\\n\nc\\d'");
  });

  test("in PostgreSQL's escape strings and SQLite's backticks", () => {
    expect(text("SELECT E'a\\n a|body::back|'", "postgres", { body })).toBe("SELECT E'a\\n \\\\'''");
    expect(text("SELECT 1 AS `a|body::q|`", "sqlite", { body })).toBe('SELECT 1 AS `say "``hi``"`');
  });

  test("NUL fails", () => {
    for (const query of ["SELECT a|body::v|", "SELECT 'a|body::v|'", 'SELECT "a|body::v|"']) {
      expect(() => literally(query, "sqlite", { body: { v: "a\0b" } })).toThrow("database: a value in the query holds a NUL character");
    }
  });
});

const hostile = fc.oneof(
  fc.constantFrom(
    "'",
    "''",
    "\\",
    "\\'",
    "'; DROP TABLE t; --",
    "' OR 1=1 --",
    '"',
    '";--',
    "`",
    "$$",
    "$q$",
    "*/",
    "/*",
    "--",
    "\n",
    "\r",
    "?",
    "$1",
    "a|body::v|",
    "E'",
    "U&'",
    "\\0027",
    "NULL",
    "TRUE",
    "%s",
    "{}",
    "𝕏",
    "\u2028",
    "\u00a0E'",
  ),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.constantFrom("'", '"', "\\", "`", "-", "/", "*", "$", ";", "\n", "E", "a", " ", "?"), { maxLength: 12 })
    .map((parts) => parts.join("")),
);
const usable = (value: string): boolean => !value.includes("\0") && value.isWellFormed();

/** A place of a hole, and what must come back from there. */
interface Case {
  readonly query: string;
  readonly back: (value: string) => Json;
}

const bare: Case = { query: "SELECT a|body::v->single_quote| AS v", back: (value) => value };
const typed: Case = { query: "SELECT 1 AS a,a|body::v|AS v", back: (value) => value };
const quoted: Case = { query: "SELECT 'x-a|body::v|a|body::v|-y' AS v", back: (value) => `x-${value}${value}-y` };
const beside: Case = { query: "SELECT 'x'||a|body::v->single_quote|||'y'/* ' */AS v--'", back: (value) => `x${value}y` };
const object: Case = { query: "SELECT a|body::o| AS v", back: (value) => JSON.stringify({ [value]: value }) };

function holds({ query, back }: Case, driver: Dialect, value: string, run: (sql: string) => Json): void {
  const expected = back(value);
  if (expected !== null)
    expect(run(literally(query, driver, { body: { v: value, o: { [value]: value }, l: [value, value] } }))).toEqual(expected);
}

describe("statements that change their session", () => {
  test.each<[Dialect, readonly string[]]>([
    [
      "postgres",
      [
        "SET statement_timeout = 5",
        "SELECT set_config('a.b', $1, false)",
        "SELECT pg_catalog.set_config('a.b', 'true', a|body::v|)",
        "CREATE TEMP TABLE t (a int)",
        "CREATE LOCAL TEMPORARY VIEW v AS SELECT 1",
        "SELECT 1 AS a INTO TEMP t",
        "INSERT INTO pg_temp.t VALUES (1)",
        "PREPARE p AS SELECT 1",
        "LISTEN a",
        "DISCARD PLANS",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_try_advisory_lock_shared(1)",
        "BEGIN; SET search_path = x; COMMIT",
        "DO $$ BEGIN PERFORM 1; END $$",
        "CALL p()",
        "a|env::SQL->raw|",
      ],
    ],
    [
      "mysql",
      [
        "SET @a = 1",
        "SET NAMES gbk; SELECT 1",
        "SELECT @a := 1",
        "SELECT 1 INTO @a",
        "USE other",
        "SELECT GET_LOCK('a', 1)",
        "LOCK TABLES t WRITE",
        "CREATE TEMPORARY TABLE t (a int)",
        "SELECT LAST_INSERT_ID(5)",
        "PREPARE p FROM 'SELECT 1'",
        "/*!50000 SET @a = 1 */",
        "CALL p()",
      ],
    ],
    [
      "mssql",
      [
        "SET LANGUAGE German",
        "SELECT 1 AS a INTO #t",
        "EXEC sp_set_session_context 'a', 1",
        "sp_who",
        "UPDATE t SET a = 1 SET ROWCOUNT 1",
        "USE other",
      ],
    ],
    [
      "sqlite",
      [
        "CREATE TEMP TABLE t (a)",
        "CREATE TABLE temp.t (a)",
        "PRAGMA foreign_keys = OFF",
        "PRAGMA case_sensitive_like(1)",
        "ATTACH 'x.db' AS x",
        "SELECT 1; PRAGMA query_only = 1",
      ],
    ],
  ])("%s", (driver, queries) => {
    expect(queries.filter((query) => lowered(query, driver, query.includes("$1") ? 1 : 0).session !== true)).toEqual([]);
  });

  test("a text of the configuration decides when the query runs", () => {
    expect(lowered("SELECT 1 FROM a|env::TABLE->raw|", "postgres").session).toBe("maybe");
  });

  test.each<[Dialect, readonly string[]]>([
    [
      "postgres",
      [
        "SELECT temp, set FROM weather WHERE a = a|body::v|",
        "SELECT set_config('a.b', 'x', true)",
        "BEGIN; SET LOCAL a.b = 'c'; INSERT INTO t VALUES (1); COMMIT",
        "SELECT pg_advisory_xact_lock(1)",
        "WITH x AS (SELECT 1) INSERT INTO temp SELECT * FROM x",
        "INSERT INTO log VALUES ('SET x = 1; PREPARE')",
        "SELECT 1 -- ; SET a = 1",
        "CREATE TABLE t (a int)",
        "NOTIFY a",
      ],
    ],
    [
      "mysql",
      [
        "SELECT @@version",
        "SELECT LAST_INSERT_ID()",
        "INSERT INTO t SET a = 1",
        "SELECT 'x@y'",
        "UPDATE t SET a = 1",
        "CREATE TABLE t (a int)",
      ],
    ],
    ["mssql", ["SELECT @p1", "UPDATE t SET a = 1", "MERGE t USING s ON a = b WHEN MATCHED THEN UPDATE SET a = 1;"]],
    [
      "sqlite",
      [
        "PRAGMA table_info(users)",
        "PRAGMA user_version",
        "SELECT * FROM pragma_table_info('t')",
        "CREATE TABLE t (temp)",
        "BEGIN; DELETE FROM t; COMMIT",
      ],
    ],
  ])("and those of %s that do not", (driver, queries) => {
    expect(queries.filter((query) => lowered(query, driver, query.includes("@p1") ? 1 : 0).session)).toEqual([]);
  });
});

describe("a text that SQLite compares with a computed number", () => {
  const warned = (query: string): boolean => lowered(query, "sqlite").found.some((finding) => finding.includes("PW460"));

  test.each([
    "SELECT city FROM p GROUP BY city HAVING count(*) > a|params::min|",
    "SELECT city, count(*) AS n FROM p GROUP BY city HAVING n >= a|params::min->default(2)|",
    "SELECT n FROM t WHERE n + 0 > a|headers::x-min|",
    "SELECT n FROM t WHERE a|params::min| < length(name)",
    "SELECT n FROM t WHERE a = 1 AND (SELECT count(*) FROM u) = a|params::n|",
    "SELECT n FROM t WHERE sum(a) BETWEEN a|params::a| AND a|params::b|",
    "SELECT n FROM t GROUP BY n HAVING max(n) NOT IN (1, a|params::a|)",
    "SELECT n FROM t WHERE abs(n) <> a|env::N|",
  ])("is warned of: %s", (query) => {
    expect(warned(query)).toBe(true);
  });

  test.each([
    "SELECT n FROM t WHERE n > a|params::min|",
    "SELECT n FROM t WHERE (n) > a|params::min|",
    "SELECT count(*) FROM t WHERE n > a|params::min|",
    "SELECT city FROM p GROUP BY city HAVING count(*) > a|params::min->to_number|",
    "SELECT city FROM p GROUP BY city HAVING count(*) > a|body::min|",
    "SELECT city FROM p GROUP BY city HAVING count(*) > CAST(a|params::min| AS INTEGER)",
    "SELECT city FROM p GROUP BY city HAVING count(*) > a|params::min| + 0",
    "SELECT n FROM t WHERE lower(name) = a|params::name|",
    "SELECT n + a|params::n| FROM t LIMIT a|params::limit|",
  ])("and this is right: %s", (query) => {
    expect(warned(query)).toBe(false);
  });
});

describe("a value never leaves its hole", () => {
  test("in SQLite", () => {
    const db = new DatabaseSync(":memory:");
    const v = (sql: string): Json => String(db.prepare(sql).get()?.v);
    const name = (sql: string): Json => String(db.prepare(sql).columns()[0]?.name);
    const list: Case = {
      query: "SELECT json_array(a|body::l->array_values|) AS v",
      back: (value) => JSON.stringify([value, value]),
    };
    fc.assert(
      fc.property(hostile.filter(usable), (value) => {
        for (const place of [bare, typed, quoted, beside, object, list]) holds(place, "sqlite", value, v);
        holds({ query: 'SELECT 1 AS "n-a|body::v|"', back: (text) => `n-${text}` }, "sqlite", value, name);
        holds({ query: "SELECT 1 AS `n-a|body::v|`", back: (text) => `n-${text}` }, "sqlite", value, name);
      }),
      { numRuns: 500 },
    );
    db.close();
  });

  describe.runIf(server !== undefined)("in PostgreSQL", () => {
    const client = new pg.Client({ connectionString: server });
    beforeAll(async () => {
      await client.connect();
    });
    afterAll(() => client.end());

    const inEscapes: Case = { query: "SELECT E'x\\'a|body::v|\\\\y' AS v", back: (value) => `x'${value}\\y` };
    const goesOn: Case = { query: "SELECT E'x' -- '\n'a|body::v|' AS v", back: (value) => `x${value}` };
    const after: Case = { query: "SELECT 'x'::text||a|body::v->single_quote|::text AS v", back: (value) => `x${value}` };

    test("for every place", async () => {
      await fc.assert(
        fc.asyncProperty(hostile.filter(usable), async (value) => {
          for (const { query, back } of [bare, typed, quoted, beside, object, inEscapes, goesOn, after]) {
            const expected = back(value);
            if (expected === null) continue;
            const sql = literally(query, "postgres", { body: { v: value, o: { [value]: value } } });
            expect((await client.query(sql)).rows[0]?.v).toBe(expected);
          }
          if (Buffer.byteLength(value) > 40) return;
          const sql = text('SELECT 1 AS "n-a|body::v|"', "postgres", { body: { v: value } });
          expect((await client.query(sql)).fields[0]?.name).toBe(`n-${value}`);
        }),
        { numRuns: 300 },
      );
    });
  });
});
