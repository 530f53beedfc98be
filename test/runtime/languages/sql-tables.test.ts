import { expect, test } from "vitest";
import { tablesOfText } from "#runtime/languages/sql/tables.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";

// Tables and verbs that a query names, and `*` where its text does not say.

const cases: readonly (readonly [query: string, uses: string, dialect?: Dialect])[] = [
  ["SELECT * FROM posts", "posts select"],
  ["select 1", ""],
  ["SELECT * FROM posts p, comments c WHERE p.id = c.post", "comments select, posts select"],
  ["SELECT * FROM posts JOIN users u ON u.id = posts.author, tags", "posts select, tags select, users select"],
  ["SELECT * FROM blog.posts", "blog.posts select"],
  ['SELECT * FROM "Posts"', "Posts select"],
  ["SELECT * FROM (SELECT id FROM posts) p", "posts select"],
  ["SELECT * FROM (posts JOIN tags ON true)", "posts select, tags select"],
  ["SELECT extract(year FROM created), trim(both FROM name) FROM posts", "posts select"],
  ["SELECT * FROM posts WHERE a IS DISTINCT FROM b", "posts select"],
  ["SELECT * FROM generate_series(1, 9)", ""],
  ["SELECT * FROM posts WHERE id IN (SELECT post FROM likes) ORDER BY a, b", "likes select, posts select"],
  ["SELECT * FROM a UNION ALL SELECT * FROM b", "a select, b select"],
  ["SELECT id FROM posts FOR UPDATE", "posts select"],
  ["WITH recent AS (SELECT * FROM posts) SELECT * FROM recent", "posts select"],
  ["WITH gone AS (DELETE FROM posts RETURNING *) INSERT INTO archive SELECT * FROM gone", "archive insert, posts delete"],
  ["INSERT INTO posts (a, b) VALUES (?, ?)", "posts insert"],
  ["INSERT INTO posts (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2, b = 3", "posts insert"],
  ["INSERT INTO a SELECT x FROM b ON DUPLICATE KEY UPDATE x = 1, y = 2", "a insert, b select", "mysql"],
  ["INSERT OR REPLACE INTO posts VALUES (1)", "posts insert", "sqlite"],
  ["REPLACE INTO posts VALUES (1)", "posts insert", "mysql"],
  ["UPDATE posts SET title = replace(title, 'a', 'b') WHERE id = ?", "posts update"],
  ["UPDATE posts SET a = u.a FROM users u", "posts update, users select"],
  ["DELETE FROM posts WHERE id = 1", "posts delete"],
  ["DELETE FROM posts USING users u WHERE u.id = posts.author", "posts delete, users select"],
  ["DELETE p FROM posts p JOIN users u ON true", "* delete, posts select, users select", "mysql"],
  ["MERGE INTO posts USING news n ON n.id = posts.id WHEN MATCHED THEN UPDATE SET a = 1", "news select, posts merge"],
  ["TRUNCATE TABLE a, b", "a truncate, b truncate"],
  ["CREATE TABLE IF NOT EXISTS posts (id int)", "posts create"],
  ["CREATE UNIQUE INDEX i ON posts (id)", "posts create"],
  ["DROP TABLE a, b", "a drop, b drop"],
  ["SELECT * INTO #copy FROM posts", "#copy create, posts select", "mssql"],
  ["SELECT * FROM [my posts]", "my posts select", "mssql"],
  ["BEGIN; DELETE FROM posts; COMMIT", "posts delete"],
  ["INSERT INTO a SELECT * FROM (VALUES (1, 'x'), (2, 'y')) v", "a insert"],
  ["CREATE EXTENSION pgcrypto", "* create"],
  ["CREATE TRIGGER t AFTER INSERT ON posts EXECUTE FUNCTION f()", "* *"],
  ["CALL tidy()", "* *"],
  ["DO $$ BEGIN DELETE FROM posts; END $$", "* *"],
  ["PRAGMA journal_mode = wal", "* *", "sqlite"],
  ["SELECT '-- FROM users' /* FROM users */ FROM posts", "posts select"],
];

for (const [query, uses, dialect = "postgres"] of cases)
  test(query, () => {
    const found = tablesOfText(query, dialect).map(({ table, verb }) => `${table} ${verb}`);
    expect(found.join(", ")).toBe(uses);
  });

/** Queries that hide a table: each must be named, or `*` in its place. */
const hidden: readonly (readonly [query: string, table: string, dialect?: Dialect])[] = [
  ["WITH users AS (SELECT * FROM users) SELECT * FROM users", "users"],
  ["SELECT 1 FROM posts WHERE id IN (WITH users AS (SELECT 1) SELECT 1 FROM users) UNION SELECT id FROM users", "users"],
  ["WITH a AS (SELECT * FROM users), users AS (SELECT 1) SELECT * FROM a", "users"],
  ["VALUES ((SELECT max(password) FROM users))", "users"],
  ["SET @a = (SELECT password FROM users)", "users", "mysql"],
  ["SELECT 1 DROP TABLE users", "users", "mssql"],
  ["SELECT 1 EXEC xp_cmdshell 'x'", "*", "mssql"],
  ["INSERT INTO posts EXECUTE steal", "*", "mssql"],
  ["SELECT 1 TRUNCATE TABLE users", "users", "mssql"],
  ["BEGIN SELECT * FROM users END", "users", "mssql"],
  ["BEGIN EXEC steal END", "*", "mssql"],
  ["SELECT 1 BACKUP DATABASE shop TO DISK = 'x'", "*", "mssql"],
  ["SELECT * FROM OPENROWSET('x', 'y', 'z') AS a", "*", "mssql"],
  ["SELECT * FROM dblink('host=evil', 'SELECT 1') AS t(a int)", "*"],
  ["SELECT query_to_xml('SELECT * FROM users', true, true, '')", "*"],
  ["SELECT pg_read_file('/etc/passwd')", "*"],
  ["SELECT load_file('/etc/passwd')", "*", "mysql"],
  ["SELECT id FROM posts INTO OUTFILE '/tmp/x'", "*", "mysql"],
  ["SELECT * FROM ONLY (users)", "users"],
  ["(TABLE users)", "users"],
  ["SELECT 1 UNION TABLE users", "users"],
  ["WITH x AS (TABLE users) SELECT * FROM x", "users"],
  ["INSERT INTO posts TABLE users", "users"],
  ["CREATE TABLE copy AS TABLE users", "users"],
  ["UPDATE posts, users SET users.a = 1", "users", "mysql"],
  ["SELECT * FROM/**/users", "users"],
  ["SELECT * FROM -- posts\n users", "users"],
  ["SELECT * FROM posts NATURAL JOIN users", "users"],
  ["SELECT * FROM ((users))", "users"],
  ["SELECT * FROM public.users", "public.users"],
  ['SELECT * FROM U&"\\0075sers"', "*"],
  ["SELECT * FROM 'users'", "*", "sqlite"],
  ["SELECT 1 /*!50000 UNION SELECT password FROM users */", "users", "mysql"],
  ["EXPLAIN ANALYZE DELETE FROM users", "users"],
  ["SELECT 1; SELECT 2; DELETE FROM users", "users"],
  ["INSERT INTO posts WITH users AS (SELECT 1) SELECT * FROM users UNION SELECT * FROM public.users", "public.users"],
];

for (const [query, hiddenTable, dialect = "postgres"] of hidden)
  test(`not hidden: ${query}`, () => expect(tablesOfText(query, dialect).map(({ table }) => table)).toContain(hiddenTable));

test("a statement that changes several tables changes each", () => {
  expect(tablesOfText("UPDATE posts JOIN users ON true SET users.a = 1", "mysql")).toContainEqual({ table: "users", verb: "update" });
  expect(tablesOfText("UPDATE posts, users SET users.a = 1", "mysql")).toContainEqual({ table: "users", verb: "update" });
});
