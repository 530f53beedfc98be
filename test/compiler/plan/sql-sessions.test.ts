import { describe, expect, test } from "vitest";
import type { Dialect } from "#runtime/plan/dialect.ts";
import { lowered } from "./lowered-sql.ts";

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
        `SELECT "set_config"('a.b', $1, false)`,
        `SELECT U&"\\0073et_config"('a.b', $1, false)`,
        `SELECT U&"!0073et_config" UESCAPE '!' ('a.b', $1, false)`,
        `SELECT "a|body::f|"('a.b', 'c', false)`,
        'CREATE TABLE "pg_temp".t (a int)',
        'CREATE TABLE U&"pg\\005ftemp".t (a int)',
        'SELECT 1 AS a INTO "pg_temp".t',
        "EXPLAIN ANALYZE CREATE TEMP TABLE t AS SELECT 1",
        "UPDATE pg_settings SET setting = 'off' WHERE name = 'a'",
        `UPDATE pg_catalog."pg_settings" SET setting = 'off'`,
        `UPDATE ONLY U&"pg\\005fsettings" SET setting = 'off'`,
        "SELECT query_to_xml('SELECT 1', true, true, '')",
        "SELECT query_to_xml_and_xmlschema('SELECT 1', true, true, '')",
        "SELECT * FROM ts_stat('SELECT 1')",
        "SELECT * FROM crosstab('SELECT 1')",
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
        "SELECT `GET_LOCK`('a', 1)",
        "BEGIN NOT ATOMIC SET @a = 1; END",
        "SELECT `last_insert_id`(5)",
      ],
    ],
    [
      "mssql",
      [
        "SET LANGUAGE German",
        "SELECT 1 AS a INTO #t",
        "SELECT 1 AS a INTO [#t]",
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
        'CREATE TABLE "temp".t (a)',
        "CREATE TABLE 'temp'.t (a)",
        "CREATE TABLE [temp].t (a)",
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
        "SELECT setting FROM pg_settings",
        'SELECT "set", t."a|body::c|" AS "a|body::n|" FROM "temp" AS t ORDER BY "a|body::c|"',
        'UPDATE "t" SET "a|body::c|" = 1 WHERE "name" = 2',
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
        "BEGIN WORK; UPDATE t SET a = 1; COMMIT",
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
