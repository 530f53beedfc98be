import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { selectList } from "../../../compiler/6-print/select-list.ts";

const tables = "CREATE TABLE people (id, first, last, Mixed); CREATE TABLE orders (id, person, total)";

test.for([
  ["SELECT id, first FROM people", ["id", "first"]],
  ["select p.id, p.first as given, main.people.last from people p join people on people.id = p.id", ["id", "given", "last"]],
  ["SELECT DISTINCT id, last FROM people WHERE first IN ('from', 'a, b', ?1) ORDER BY id LIMIT 5;\n", ["id", "last"]],
  ["SELECT count(*) AS n, max(total) AS most, coalesce(person, 'it''s, AS x') AS who FROM orders", ["n", "most", "who"]],
  ['SELECT id AS "key", first AS [given], last AS `family` FROM people', ["key", "given", "family"]],
  ["WITH late AS (SELECT id, total FROM orders) SELECT total, id FROM late", ["total", "id"]],
  ["WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i AS one, i * 2 AS two FROM n", ["one", "two"]],
  ["INSERT INTO orders (id, person) SELECT id, first FROM people RETURNING id, person AS who", ["id", "who"]],
  ["UPDATE orders SET total = 1 WHERE id = ?1 RETURNING total", ["total"]],
  ["SELECT CASE WHEN id > 1 THEN 'x' ELSE 'y' END AS size, (SELECT max(total) FROM orders) AS top FROM people", ["size", "top"]],
  ["SELECT id FROM people UNION SELECT person FROM orders", ["id"]],
] as const)("columns of %s", ([sql, names]) => {
  expect(selectList(sql, "sqlite")).toEqual(names);
  const database = new DatabaseSync(":memory:");
  database.exec(tables);
  const sent = database.prepare(sql).columns();
  expect(sent.map(({ name }) => name)).toEqual(names);
  database.close();
});

test.for([
  "SELECT * FROM people",
  "SELECT p.*, 1 AS one FROM people p",
  "SELECT id, count(*) FROM people",
  "SELECT id + 1 FROM people",
  "SELECT id given FROM people",
  "SELECT id, id FROM people",
  'SELECT id AS "two words" FROM people',
  "SELECT id AS __proto__, 1 AS é FROM people",
  "SELECT id -- , first\nFROM people",
  "SELECT /* id, */ first FROM people",
  "SELECT id FROM people; SELECT first FROM people",
  "SELECT 'a\\', id AS b FROM people",
  "SELECT (id AS b FROM people",
  "INSERT INTO orders (id) SELECT id FROM people",
  "SELECT",
  "",
])("no columns are said by %s", (sql) => {
  expect(selectList(sql, "sqlite")).toBeUndefined();
});

test("names are those that each database sends", () => {
  const sql = 'SELECT Id AS Given, "Last" FROM people';
  expect(selectList(sql, "postgres")).toEqual(["given", "Last"]);
  expect(selectList(sql, "mssql")).toEqual(["Given", "Last"]);
  // "Last" is a string.
  expect(selectList(sql, "mysql")).toBeUndefined();
  expect(selectList("SELECT `Id`, Last FROM people WHERE id = ?", "mysql")).toEqual(["Id", "Last"]);
  expect(selectList("SELECT TOP 5 id FROM people WHERE id > @p1", "mssql")).toEqual(["id"]);
  expect(selectList("SELECT TOP (5) id, top FROM people", "mssql")).toEqual(["id", "top"]);
});
