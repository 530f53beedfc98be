import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readScalar } from "../../compiler/4-plan/scalar.ts";
import { type Lowering, scope } from "../../compiler/4-plan/scope.ts";
import { lowerQuery, type QuerySetting } from "../../compiler/4-plan/sql.ts";
import type { Dialect } from "../../compiler/4-plan/sql-lexer.ts";
import { collector } from "../../compiler/diagnostics/collect.ts";
import type { Json } from "../../runtime/json.ts";
import type { Expr } from "../../runtime/plan.ts";
import { evaluated, nodeOf, usual, type World } from "./lowering.ts";
import { server } from "./postgres-server.ts";

interface Lowered {
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
  const { text: expr, order } = lowerQuery(readScalar(node, report, { code: true }), cx, { driver, ...params, ...more });
  return { expr, order, found: diagnostics().map(({ code, severity, message }) => `${severity} ${code} ${message}`) };
}

/** The text that the database gets. */
function text(query: string, driver: Dialect, world: World = {}, count = 0): string {
  const { expr, found } = lowered(query, driver, count);
  expect(found.filter((finding) => !finding.includes("PW416"))).toEqual([]);
  return String(evaluated(expr, world));
}

describe("placeholders (language.md 5.4.3)", () => {
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
    expect(text("SELECT ?, a|body::v|, ?", "postgres", { body: { v: "x" } }, 2)).toBe("SELECT $1, 'x', $2");
    expect(text("SELECT \\a| ? a|body::v|", "sqlite", { body: { v: 1 } }, 1)).toBe("SELECT a| ?1 1");
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
    ["SELECT a|body::n|, a|body::d|, a|body::e|", "SELECT (-5), '007', 1e5", "SELECT (-5), '007', 1e5"],
    ["SELECT a|body::s|,a|body::gone|,a|body::b|", "SELECT 'it''s',NULL,TRUE", "SELECT 'it''s',NULL,1"],
    ["SELECT a|body::o|", `SELECT '{"k":["''"]}'`, `SELECT '{"k":["''"]}'`],
    ["SELECT a|body::n->single_quote|, a|single_quote(body::gone)|", "SELECT '-5', ''", "SELECT '-5', ''"],
    ["SELECT single_quote(a|body::s|)", "SELECT 'it''s'", "SELECT 'it''s'"],
    ["IN (a|body::list->array_values|)", "IN (1, 'a''b', NULL, 2, '[3]')", "IN (1, 'a''b', NULL, 2, '[3]')"],
    ["IN (a|body::none->array_values|, a|body::n->array_values|)", "IN (NULL, (-5))", "IN (NULL, (-5))"],
    ["LIKE '%a|body::s|%' || 'a|body::gone|'", "LIKE '%it''s%' || ''", "LIKE '%it''s%' || ''"],
    ['SELECT 1 AS "x a|body::q|"', 'SELECT 1 AS "x say ""`hi`"""', 'SELECT 1 AS "x say ""`hi`"""'],
    ["SELECT 1-a|body::n|a|body::d|'x'", "SELECT 1- (-5) '007' 'x'", "SELECT 1- (-5) '007' 'x'"],
    ["a|env::SQL->raw|a|env::SQL->raw|", "SELECT 1SELECT 1", "SELECT 1SELECT 1"],
  ])("%s", (query, postgres, sqlite) => {
    const world = { body, env: { SQL: "SELECT 1" } };
    expect([text(query, "postgres", world), text(query, "sqlite", world)]).toEqual([postgres, sqlite]);
  });

  test.each<[string, string, string]>([
    ["SELECT a|body::n|, a|body::d|, a|body::b|", "SELECT (-5), '007', TRUE", "SELECT (-5), N'007', 1"],
    ["SELECT a|body::s|, a|body::back|", "SELECT 'it''s', '\\\\'''", "SELECT N'it''s', N'\\'''"],
    ["SELECT a|body::s->single_quote|, a|body::gone|", "SELECT 'it''s', NULL", "SELECT N'it''s', NULL"],
    ["IN (a|body::list->array_values|)", "IN (1, 'a''b', NULL, 2, '[3]')", "IN (1, N'a''b', NULL, 2, N'[3]')"],
    ["SELECT 'x a|body::back|'", "SELECT 'x \\\\'''", "SELECT 'x \\'''"],
    ['SELECT "x a|body::q|"', 'SELECT "x say ""`hi`"""', 'SELECT "x say ""`hi`"""'],
    ['SELECT "x a|body::back|"', 'SELECT "x \\\\\'"', 'SELECT "x \\\'"'],
  ])("in MySQL and SQL Server: %s", (query, inMysql, inMssql) => {
    expect([text(query, "mysql", { body }), text(query, "mssql", { body })]).toEqual([inMysql, inMssql]);
  });

  test("in MySQL's backticks, SQL Server's brackets, and where a backslash would take a line break away", () => {
    expect(text("SELECT 1 AS `a|body::q|`", "mysql", { body })).toBe('SELECT 1 AS `say "``hi``"`');
    expect(text("SELECT 1 AS [a|body::v|]", "mssql", { body: { v: "a]; DROP" } })).toBe("SELECT 1 AS [a]]; DROP]");
    expect(text("SELECT a|body::v|", "mssql", { body: { v: "a\\\r\nb\\\nc\\d" } })).toBe("SELECT N'a\\\\\r\n\r\nb\\\\\n\nc\\d'");
  });

  test("in PostgreSQL's escape strings and SQLite's backticks", () => {
    expect(text("SELECT E'a\\n a|body::back|'", "postgres", { body })).toBe("SELECT E'a\\n \\\\'''");
    expect(text("SELECT 1 AS `a|body::q|`", "sqlite", { body })).toBe('SELECT 1 AS `say "``hi``"`');
  });

  test("NUL fails", () => {
    for (const query of ["SELECT a|body::v|", "SELECT 'a|body::v|'", 'SELECT "a|body::v|"']) {
      expect(() => text(query, "sqlite", { body: { v: "a\0b" } })).toThrow("database: a value in the query holds a NUL character");
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
const typed: Case = {
  query: "SELECT 1 AS a,a|body::v|AS v",
  back: (value) => (/^\s*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/.test(value) ? null : value),
};
const quoted: Case = { query: "SELECT 'x-a|body::v|a|body::v|-y' AS v", back: (value) => `x-${value}${value}-y` };
const beside: Case = { query: "SELECT 'x'||a|body::v->single_quote|||'y'/* ' */AS v--'", back: (value) => `x${value}y` };
const object: Case = { query: "SELECT a|body::o| AS v", back: (value) => JSON.stringify({ [value]: value }) };

function holds({ query, back }: Case, driver: Dialect, value: string, run: (sql: string) => Json): void {
  const expected = back(value);
  if (expected !== null)
    expect(run(text(query, driver, { body: { v: value, o: { [value]: value }, l: [value, value] } }))).toEqual(expected);
}

describe("a value never leaves its hole", () => {
  test("in SQLite", () => {
    const db = new DatabaseSync(":memory:");
    const v = (sql: string): Json => String(db.prepare(sql).get()?.v);
    const name = (sql: string): Json => String(db.prepare(sql).columns()[0]?.name);
    const list: Case = {
      query: "SELECT json_array(a|body::l->array_values|) AS v",
      back: (value) => (Number.isNaN(Number(value)) ? JSON.stringify([value, value]) : null),
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
            const sql = text(query, "postgres", { body: { v: value, o: { [value]: value } } });
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
