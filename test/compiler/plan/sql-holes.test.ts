import { describe, expect, test } from "vitest";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { literally, lowered, text } from "./lowered-sql.ts";
import { evaluated, type World } from "./lowering.ts";

/** The text and what is bound for its holes. */
function bound(query: string, driver: Dialect, world: World): readonly [string, ...Json[]] {
  const { values } = lowered(query, driver);
  return [text(query, driver, world), ...values.map((value) => evaluated(value, world))];
}

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

  const behind = "error PW415 marker behind a statement that may change the character set";
  test.each<[string, boolean]>([
    ["SET NAMES gbk; SELECT 'a|body::v|'", true],
    ["SET NAMES 'sjis'; SELECT a|body::v|", true],
    ["/*!50000 SET NAMES gbk */; SELECT a|body::v|", true],
    ["SET NAMES gbk; SELECT 1 AS `a|body::v|`", true],
    ["SET NAMES gbk; SELECT 1 IN (a|body::v->array_values|)", true],
    ["SET @a = 1, CHARACTER SET big5; SELECT a|body::v|", true],
    ["SET CHARSET gbk; SELECT a|body::v|", true],
    ["SET NAMES DEFAULT; SELECT a|body::v|", true],
    ["SET NAMES a|env::CHARSET->raw|; SELECT a|body::v|", true],
    ["SET @@session.`character_set_client` = gbk; SELECT a|body::v|", true],
    ["BEGIN NOT ATOMIC SET NAMES gbk; END; SELECT a|body::v|", true],
    ["EXECUTE IMMEDIATE 'SET NAMES gbk'; SELECT a|body::v|", true],
    ["SET NAMES a|env::CHARSET|; SELECT 1", false],
    ["SELECT a|body::v|; SET NAMES gbk", false],
    ["SET NAMES gbk; SELECT a|env::C->raw|", false],
    ["SET NAMES utf8mb4 COLLATE utf8mb4_bin; SELECT a|body::v|", false],
    ["SET CHARACTER SET utf8; SELECT a|body::v|", false],
    ["SET character_set_client = utf8mb4; SELECT a|body::v|", false],
    ["SET @a = 1; SELECT a|body::v|", false],
    ["UPDATE t SET names = 1; SELECT a|body::v|", false],
    ["CREATE TABLE t (a text CHARACTER SET gbk); INSERT INTO t VALUES (a|body::v|)", false],
  ])("no literal stands behind another character set of MySQL: %s", (query, refused) => {
    expect(lowered(query, "mysql").found.filter((finding) => finding.startsWith("error"))).toEqual(refused ? [behind] : []);
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
