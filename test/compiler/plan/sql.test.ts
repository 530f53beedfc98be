import { describe, expect, test } from "vitest";
import type { Dialect } from "#runtime/plan/dialect.ts";
import { lowered, text } from "./lowered-sql.ts";
import { evaluated } from "./lowering.ts";

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
    "SELECT price, price*qty AS total FROM o WHERE total > a|params::n|",
    "SELECT price, price * qty total FROM o WHERE total > a|params::n|",
    "SELECT n FROM o WHERE (a|params::n| = 0 OR price > 5)",
    "SELECT n FROM o WHERE (a|params::n|) = 1.5",
    "SELECT n FROM o WHERE -price < a|params::n|",
    "SELECT CASE count(*) WHEN a|params::n| THEN 'x' END FROM o",
    "SELECT CASE a|params::n| WHEN 1 THEN 'x' ELSE 'y' END FROM o",
    "SELECT n FROM o WHERE 2+3 IS a|params::n|",
    "SELECT n FROM o WHERE 2+3 IS NOT DISTINCT FROM a|params::n|",
    "SELECT n FROM o WHERE a|params::n| IS NOT 3",
    "SELECT n*2 AS m FROM t GROUP BY n HAVING m > a|params::n|",
    "SELECT s.m FROM (SELECT n + 1 AS m FROM t) s WHERE s.m > a|params::n|",
    "SELECT k FROM (SELECT m AS k FROM (SELECT n + 1 AS m FROM t)) WHERE k = a|params::n|",
    "WITH s AS (SELECT n / 2 AS half FROM t) SELECT half FROM s WHERE half < a|params::n|",
    "SELECT n FROM t WHERE (SELECT n + 1 FROM u) > a|params::n|",
    "SELECT n FROM t WHERE CASE WHEN a THEN 1 ELSE n END > a|params::n|",
    "SELECT n FROM t WHERE d->>'n' > a|params::n|",
    "SELECT n FROM t WHERE n | 0 > a|params::n|",
    "SELECT n FROM t WHERE (n << 1) > a|params::n|",
    "SELECT n FROM t WHERE n >> 1 = a|params::n|",
    "SELECT a|params::n| < 3",
    "SELECT n FROM t WHERE (n+0, n) > (a|params::n|, 0)",
    "SELECT n FROM t WHERE a|params::n| IN (1, 2)",
    "SELECT n FROM t WHERE a|params::n| NOT BETWEEN 1 AND 5",
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
    "SELECT n FROM t WHERE a|params::n| = '' OR n > 5",
    "SELECT n FROM t WHERE a|params::n| IS NULL AND n = 0",
    "SELECT n FROM t WHERE a = 1 AND n = a|params::n| AND 2 = b",
    "SELECT n FROM t WHERE n IN (a|params::n|, 1) AND name IS a|params::n|",
    "SELECT n FROM t WHERE (n, 0) = (a|params::n|, 0)",
    "SELECT n FROM t WHERE d->>'name' = a|params::n| AND d->'name' > a|params::n|",
    "SELECT n FROM t WHERE first || last = a|params::n| AND +name = a|params::n|",
    "SELECT price * 2 AS price FROM o WHERE price > a|params::n|",
    "SELECT o.n * 2 AS total FROM o WHERE o.total > a|params::n|",
    "SELECT * FROM (SELECT n AS m FROM t) s WHERE s.m > a|params::n|",
    "SELECT n FROM t WHERE CASE WHEN a THEN 'x' ELSE name END = a|params::n|",
    "SELECT CASE WHEN n > a|params::n| THEN 1 ELSE 2 END FROM t",
    "SELECT CASE name WHEN a|params::n| THEN 1 END FROM t",
    "UPDATE t SET a = 3, n = a|params::n| WHERE b = 4",
    "INSERT INTO t (a, n) VALUES (1, a|params::n|)",
    "SELECT n FROM t WHERE CAST(n AS INTEGER) > a|params::n|",
    "SELECT n FROM t WHERE date(n) > a|params::n| LIMIT 5 OFFSET a|params::n|",
  ])("and this is right: %s", (query) => {
    expect(warned(query)).toBe(false);
  });

  test.each(["postgres", "mysql"] as const)("and %s converts", (driver) => {
    const found = ["n * 2 > a|params::n|", "a|params::n| = 0"].flatMap((test) => lowered(`SELECT n FROM t WHERE ${test}`, driver).found);
    expect(found.filter((one) => one.includes("PW460"))).toEqual([]);
  });
});
