import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fits } from "#runtime/shapes/fits.ts";
import { any, type Shape } from "#runtime/shapes/shape.ts";
import type { Json } from "#runtime/value/json.ts";
import { askDatabases, describedQueries, type ServerAnswers } from "../../../compiler/database/index.ts";
import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { databases, rowsOf, type TestDatabase } from "./databases.ts";

// `check --database` (spec/command-line 13): what servers say of queries, held against the rows that the drivers give.

const tables = {
  sqlite: `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b REAL, c TEXT NOT NULL, d BLOB, e VARCHAR(9), f, g BOOLEAN, h DATE);
    CREATE TABLE s (id INTEGER PRIMARY KEY, c TEXT NOT NULL) STRICT; CREATE VIEW v AS SELECT t.c, s.c AS sc FROM t LEFT JOIN s ON s.id = -1;
    INSERT INTO t VALUES (1, 1, 1.5, 'x', x'00ff', 7, 'f', 1, 'd'), (2, 'not a number', 'b', 3, NULL, NULL, 9007199254740993, 'yes', 4);
    INSERT INTO s VALUES (1, 'one')`,
  postgres: `CREATE TYPE mood AS ENUM ('calm', 'wild'); CREATE DOMAIN small AS int; CREATE DOMAIN whole AS jsonb;
    CREATE TABLE t (id int PRIMARY KEY, a bigint NOT NULL, b double precision, c text NOT NULL, d bytea, e varchar(9), f jsonb, g boolean,
      h date, i numeric, j int[], k mood, l mood[], m small, n whole, o timestamptz, p uuid, q interval, r text[][], u real, w json, x point);
    CREATE TABLE s (id int PRIMARY KEY, c text NOT NULL); CREATE VIEW v AS SELECT t.c, s.c AS sc FROM t LEFT JOIN s ON s.id = -1;
    INSERT INTO t VALUES (1, 9007199254740993, 'NaN', 'x', 'a', 'e', '{"a":1}', true, now(), 1.5, '{1,2}', 'calm', '{calm,wild}', 1, '[1]', now(),
      gen_random_uuid(), '1 day', '{{a,b},{c,d}}', 'Infinity', '1', '(1,2)'), (2, 1, 1, 'y', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO s VALUES (1, 'one')`,
  mysql: `CREATE TABLE t (id INT PRIMARY KEY, a BIGINT NOT NULL, b DOUBLE, c TEXT NOT NULL, d BLOB, e VARCHAR(9), f JSON, g BOOLEAN, h DATE,
      i DECIMAL(30,5), j FLOAT, k ENUM('calm','wild'), l SET('a','b'), m SMALLINT UNSIGNED, n BIT(9), o TIMESTAMP NULL, p DATETIME(3), q TIME,
      r YEAR, u MEDIUMINT, w BINARY(3), x GEOMETRY, y INT(5) ZEROFILL);
    CREATE TABLE s (id INT PRIMARY KEY, c VARCHAR(9) NOT NULL); CREATE VIEW v AS SELECT t.c, s.c AS sc FROM t LEFT JOIN s ON s.id = -1;
    INSERT INTO t VALUES (1, 9007199254740993, 1.5, 'x', 'a', 'e', '{"a":1}', 1, '2024-01-01', 123456789012345678901.5, 1.1, 'calm', 'a,b', 3, b'101',
      '2024-01-01 00:00:00', '2024-01-01 00:00:00.123', '10:00:00', 2024, 4, 'abc', POINT(1, 2), 5), (2, 1, NULL, 'y', NULL, NULL, NULL, 2, NULL, NULL, NULL,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO s VALUES (1, 'one')`,
};

/** Queries that every server takes; those of `own` are of one. A list behind a text has the values of its markers. */
const queries: readonly (readonly [string, (readonly Json[])?])[] = [
  ["SELECT * FROM t"],
  ["SELECT id, c FROM t WHERE id = 1"],
  ["SELECT t.c, s.c AS other FROM t LEFT JOIN s ON s.id = t.id + 40"],
  ["SELECT s.c AS other, t.c FROM s RIGHT JOIN t ON s.id = t.id + 40"],
  ["SELECT c, sc FROM v"],
  ["SELECT x.c FROM (SELECT s.c FROM t LEFT JOIN s ON s.id = 90) x"],
  ["SELECT c FROM s UNION ALL SELECT NULL"],
  ["SELECT count(*) AS n, max(c) AS most, sum(a) AS total, avg(id) AS mean FROM t WHERE id > 90"],
  ["SELECT id, CASE WHEN id > 1 THEN c END AS maybe FROM t"],
  ["SELECT (SELECT c FROM s WHERE id = 90) AS none, 1 AS one, 'x' AS word, NULL AS unset FROM t"],
  ["SELECT c AS same, id AS same FROM t"],
  ["SELECT id, a|body::v| AS given FROM t WHERE id = 1", [7]],
  ["SELECT c, a|body::v| AS given FROM t WHERE c <> a|body::v|", ["z", "z"]],
];

const own: Readonly<Record<string, typeof queries>> = {
  sqlite: [["SELECT id, count(*) AS n FROM t WHERE id > 90"], ["VALUES (1, 'x')"]],
  mysql: [
    ["SELECT id, count(*) AS n FROM t WHERE id > 90"],
    ["SELECT id FROM t WHERE id > 90 ORDER BY count(*)"],
    ["SELECT c FROM t GROUP BY c WITH ROLLUP"],
  ],
  postgres: [["SELECT c FROM t GROUP BY ROLLUP (c)"], ["SELECT 1 AS one, row_to_json(t) AS whole FROM t"], ["VALUES (1, 'x')"]],
};

const placeholder = { sqlite: (n: number) => `?${n}`, postgres: (n: number) => `$${n}`, mysql: () => "?" };

describe.each(databases)("%s", (kind, open) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await open();
    await database.run(tables[kind]);
  });
  afterAll(() => database.drop());

  const config = (...texts: readonly string[]): string =>
    JSON.stringify({
      name: "shop",
      global: { databases: { main: { driver: kind, conn_string: "a|env::ADDRESS|" } } },
      interfaces: {
        all: { output: "cli", actions: texts.map((query, i) => ({ name: `Q${i}`, database: "main", query })) },
      },
    });
  const ask = (text: string): Promise<readonly ServerAnswers[]> =>
    askDatabases(planTexts([{ file: "shop.yaml", text }]).plans, async () => ({ conn_string: database.conn_string }));
  /** Everything but notes about style. */
  const found = async (...texts: readonly string[]): Promise<readonly Diagnostic[]> => {
    const source = { file: "shop.yaml", text: config(...texts) };
    const described = describedQueries(await ask(source.text));
    const { diagnostics } = planTexts([source], { described });
    return diagnostics.filter(({ code }) => code !== "PW416");
  };
  const shapeOf = async (text: string): Promise<Shape> => {
    const [answer] = await ask(config(text));
    const [shape] = answer?.rows.values() ?? [];
    return shape ?? any;
  };

  const all = [...queries, ...(own[kind] ?? [])].map(([text, values]) => ({ text, values }));
  test.each(all)("gives rows of the shape that was described: $text", async ({ text, values }) => {
    let count = 0;
    const sent = text.replace(/a\|body::v\|/g, () => placeholder[kind](++count));
    const rows = await rowsOf(database, sent, values, values?.length);
    const shape = await shapeOf(text);
    expect(fits(rows, shape), JSON.stringify(rows)).toBe(true);
    expect(shape).toMatchObject({ type: "array", items: { type: "object" } });
  });

  test("a column that is a text is one, and never null where its table says so", async () => {
    expect(await shapeOf("SELECT c FROM t WHERE id = 1")).toMatchObject({
      items: { members: new Map([["c", { shape: { type: "string" } }]]) },
    });
  });

  test("what is read of a row is checked", async () => {
    const source = JSON.parse(config("SELECT * FROM t"));
    source.interfaces.all.actions.push({ name: "Out", json_output: { wrong: "a|Q0::[0].idd|", right: "a|Q0::[0].id|" } });
    const text = JSON.stringify(source);
    const described = describedQueries(await ask(text));
    const read = (known?: typeof described) => planTexts([{ file: "shop.yaml", text }], { described: known });
    expect(read().diagnostics).toEqual([]);
    expect(read(described).diagnostics).toMatchObject([{ code: "PW277", message: expect.stringContaining("'idd' (did you mean 'id'?)") }]);
  });

  test.each([
    ["SELECT id FROM tt", "PW462", "tt"],
    ["SELECT idd FROM t", "PW463", "idd"],
    ["SELECT x.idd FROM t AS x", "PW463", "idd"],
    ["UPDATE t SET cc = 'x' WHERE id = 1", "PW463", "cc"],
    ["INSERT INTO t (id, aa) VALUES (1, 2)", "PW463", "aa"],
    ["DELETE FROM tt WHERE id = 1", "PW462", "tt"],
  ])("points at the name in: %s", async (text, code, name) => {
    const [diagnostic, ...more] = await found(text);
    const { start = 0, end = 0 } = diagnostic?.at ?? {};
    expect(more).toEqual([]);
    expect(diagnostic).toMatchObject({ code, severity: "error", fix: { text: expect.any(String) } });
    expect(config(text).slice(start, end)).toBe(name);
  });

  test("a statement that the server cannot read is refused in its own words", async () => {
    expect(await found("SELECT id FROM t WHERE (id = 1")).toMatchObject([
      { code: "PW464", message: expect.stringMatching(/syntax|incomplete/i) },
    ]);
  });

  test("a constant in the place of a value is no reason to refuse", async () => {
    const list = kind === "sqlite" ? [] : ["SELECT id FROM t WHERE h > DATE 'a|body::day|'"];
    expect(await found("SELECT id FROM t WHERE c = 'a|body::v|' OR id IN (a|body::l->array_values|)", ...list)).toEqual([]);
  });

  test("a table that the project makes may not be there yet", async () => {
    expect(await found("CREATE TABLE IF NOT EXISTS late (id int)", "SELECT id FROM late", "INSERT INTO late VALUES (1)")).toEqual([]);
    expect(await found("ALTER TABLE t ADD COLUMN soon int", "SELECT soon FROM t")).toEqual([]);
  });

  test("no statement is run", async () => {
    const before = await rowsOf(database, "SELECT * FROM s");
    const changes = ["INSERT INTO s VALUES (2, 'two')", "UPDATE s SET c = 'changed' WHERE id = 1", "DELETE FROM s WHERE id = 1"];
    const returning = kind === "mysql" ? [] : ["INSERT INTO s VALUES (3, 'three') RETURNING id"];
    expect(await found(...changes, ...returning, "CREATE TABLE made (id int)", "DROP TABLE s")).toEqual([]);
    expect(await rowsOf(database, "SELECT * FROM s")).toEqual(before);
  });

  test("hostile names of columns are members like others, and break no line", async () => {
    const quote = kind === "mysql" ? "`" : '"';
    const names = ["__proto__", "constructor", "a\nb", "\u001b[31mred", "x'; DROP TABLE s; --"];
    await database.run(`CREATE TABLE hostile (${names.map((name) => `${quote}${name}${quote} int`).join()})`);
    expect(await shapeOf("SELECT * FROM hostile")).toMatchObject({
      items: { members: new Map(names.map((name) => [name, expect.anything()])) },
    });
    expect(await found("SELECT constructr FROM hostile")).toMatchObject([{ message: expect.stringContaining("'constructor'") }]);
    await database.run("DROP TABLE hostile");
  });
});
