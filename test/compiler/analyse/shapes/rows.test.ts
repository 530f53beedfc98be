import { expect, test } from "vitest";
import { rowsShape } from "../../../../compiler/5-analyse/shapes/rows.ts";
import type { Dialect } from "../../../../runtime/plan/dialect.ts";
import { shown } from "./shown.ts";

const rows = (query: string, dialect: Dialect = "sqlite"): string => shown(rowsShape({ op: "lit", value: { query } }, dialect));

test.each([
  ["SELECT id, title FROM posts", "[{id?: any, title?: any}]"],
  ["SELECT p.id, p.title AS heading FROM posts p WHERE p.id = ?", "[{id?: any, heading: any}]"],
  ["SELECT DISTINCT id FROM posts ORDER BY id", "[{id?: any}]"],
  ["SELECT * FROM posts", "[{...any}]"],
  ["SELECT p.*, 1 AS one FROM posts p", "[{one: any, ...any}]"],
  ["SELECT count(*) FROM posts", "[{...any}]"],
  ["SELECT count(*) AS n FROM posts", "[{n: any}]"],
  ["SELECT id no FROM posts", "[{...any}]"],
  ["SELECT id FROM a UNION SELECT key FROM b", "[{id?: any}]"],
  ["WITH x AS (SELECT 1 AS a) SELECT a FROM x", "[{a?: any}]"],
  ["SELECT id -- the key\nFROM posts", "[{id?: any}]"],
  ["SELECT null, id FROM posts", "[{id?: any, ...any}]"],
  ["INSERT INTO posts (title) VALUES (?)", "[never]"],
  ["INSERT INTO posts (title) VALUES (?) RETURNING id, title", "[{id?: any, title?: any}]"],
  ["INSERT INTO posts SELECT * FROM old", "[never]"],
  ["UPDATE posts SET title = ? WHERE id = ? RETURNING *", "[{...any}]"],
  ["DELETE FROM posts", "[never]"],
  ["WITH x AS (SELECT 1) INSERT INTO posts SELECT * FROM x", "[any]"],
  ["SELECT 1 AS a; SELECT 2 AS b", "[any]"],
  ["PRAGMA table_info(posts)", "[any]"],
  ["VALUES (1)", "[any]"],
  ["", "[any]"],
])("%s", (query, expected) => {
  expect(rows(query)).toBe(expected);
});

test("names are written as each dialect takes them", () => {
  expect(rows('SELECT Id, "Name", count(*) FROM people', "postgres")).toBe("[{id: any, Name: any, count: any}]");
  expect(rows("SELECT DISTINCT ON (a) b, c FROM t", "postgres")).toBe("[{c: any, ...any}]");
  expect(rows("SELECT TOP 5 [Id] FROM people", "mssql")).toBe("[{Id?: any}]");
  expect(rows("INSERT INTO people (name) OUTPUT inserted.id VALUES (@p1)", "mssql")).toBe("[any]");
  expect(rows("SELECT `Id` FROM people", "mysql")).toBe("[{Id: any}]");
});

test("a value in a text is one value; what the configuration puts in as it stands may be anything", () => {
  const of = { op: "root", root: "body" } as const;
  const text = (fill: "sql_value" | "raw"): string =>
    shown(rowsShape({ op: "map", entries: [["query", { op: "text", parts: ["SELECT id, ", { fill, of }, " AS x FROM t"] }]] }, "sqlite"));
  expect(text("sql_value")).toBe("[{id?: any, x: any}]");
  expect(text("raw")).toBe("[any]");
});
