import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "#runtime/run/interface.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { runOnce } from "../harness/run-once.ts";
import { stillHost } from "../harness/still-host.ts";
import { mysqlDatabase, type Target, targets } from "./world.ts";

// Settings that one query leaves in its session are gone before another query meets the connection, of which there is only one.

const folder = mkdtempSync(join(tmpdir(), "pipewright-sessions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A query that changes the session, one that could see the change, and the data or error text of the second. */
interface Leak {
  readonly what: string;
  readonly sets: string;
  readonly sees: string;
  readonly finds: Json | RegExp;
}

const injected = "縗\\' OR 1=1 -- ";

const leaks: Readonly<Record<Target["driver"], readonly Leak[]>> = {
  postgres: [
    {
      what: "set_config",
      sets: "SELECT set_config('app.tenant', a|body::v|, false)",
      sees: "SELECT current_setting('app.tenant', true) AS v",
      finds: [{ v: "" }],
    },
    {
      what: "set_config in quotes",
      sets: `SELECT "set_config"('app.tenant', a|body::v|, false)`,
      sees: "SELECT current_setting('app.tenant', true) AS v",
      finds: [{ v: "" }],
    },
    {
      what: "set_config in escapes",
      sets: `SELECT U&"\\0073et_config"('app.tenant', a|body::v|, false)`,
      sees: "SELECT current_setting('app.tenant', true) AS v",
      finds: [{ v: "" }],
    },
    {
      what: "a function that runs a text",
      sets: "SELECT query_to_xml('SELECT set_config(''app.tenant'', ''x'', false)', true, true, '')",
      sees: "SELECT current_setting('app.tenant', true) AS v",
      finds: [{ v: "" }],
    },
    {
      what: "UPDATE of settings",
      sets: "UPDATE pg_settings SET setting = 'off' WHERE name = 'standard_conforming_strings'",
      sees: "SET LOCAL datestyle = ISO; SELECT count(*) AS v FROM (SELECT 'x' AS s) AS q WHERE s = 'a|body::v|'",
      finds: [{ v: 0 }],
    },
    {
      what: "a temporary table by its schema",
      sets: 'CREATE TABLE "pg_temp".leak AS SELECT 1 AS a',
      sees: "SELECT a FROM leak",
      finds: /does not exist/,
    },
    { what: "SET", sets: "SET statement_timeout = '7s'", sees: "SELECT current_setting('statement_timeout') AS v", finds: [{ v: "0" }] },
    {
      what: "SET among others",
      sets: "SELECT 1; SET work_mem = '1MB'; SELECT 2",
      sees: "SELECT current_setting('work_mem') <> '1MB' AS v",
      finds: [{ v: true }],
    },
    {
      what: "SET before an error",
      sets: "SET lock_timeout = '7s'; SELECT 1/0",
      sees: "SELECT current_setting('lock_timeout') AS v",
      finds: [{ v: "0" }],
    },
    {
      what: "an error in one statement",
      sets: "SELECT set_config('app.x', 'y', false), 1 / (SELECT 0)",
      sees: "SELECT current_setting('app.x', true) IS NULL OR current_setting('app.x', true) = '' AS v",
      finds: [{ v: true }],
    },
    {
      what: "strings that escape",
      sets: "SET standard_conforming_strings = off",
      sees: "SELECT count(*) AS v FROM (SELECT 'x' AS s) AS q WHERE s = 'a|body::v|'",
      finds: [{ v: 0 }],
    },
    { what: "a temporary table", sets: "CREATE TEMP TABLE leak AS SELECT 1 AS a", sees: "SELECT a FROM leak", finds: /does not exist/ },
    { what: "SELECT INTO TEMP", sets: "SELECT 1 AS a INTO TEMP leak", sees: "SELECT a FROM leak", finds: /does not exist/ },
    { what: "PREPARE", sets: "PREPARE leak AS SELECT 1", sees: "EXECUTE leak", finds: /does not exist/ },
    { what: "LISTEN", sets: "LISTEN leak", sees: "SELECT count(*) AS v FROM pg_listening_channels()", finds: [{ v: 0 }] },
    {
      what: "an advisory lock",
      sets: "SELECT pg_advisory_lock(4711)",
      sees: "SELECT count(*) AS v FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711",
      finds: [{ v: 0 }],
    },
    {
      what: "a transaction left open",
      sets: "BEGIN; SET LOCAL app.y = 'z'",
      sees: "SELECT coalesce(current_setting('app.y', true), '') AS v",
      finds: [{ v: "" }],
    },
    { what: "what the driver sets", sets: "SET datestyle = 'German'", sees: "SELECT date '2024-02-29' AS v", finds: [{ v: "2024-02-29" }] },
  ],
  mysql: [
    { what: "a user variable", sets: "SET @tenant = a|body::v|", sees: "SELECT @tenant AS v", finds: [{ v: null }] },
    { what: "a variable in a query", sets: "SELECT @tenant := a|body::v|", sees: "SELECT @tenant AS v", finds: [{ v: null }] },
    {
      what: "SET NAMES",
      sets: "SET NAMES gbk; SELECT 1",
      sees: "SELECT count(*) AS v FROM (SELECT 'x' AS s) AS q WHERE s = 'a|body::v|'",
      finds: [{ v: 0 }],
    },
    {
      what: "sql_mode",
      sets: "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
      sees: "SELECT count(*) AS v FROM (SELECT 'x' AS s) AS q WHERE s = 'a|body::v|'",
      finds: [{ v: 0 }],
    },
    { what: "a temporary table", sets: "CREATE TEMPORARY TABLE leak AS SELECT 1 AS a", sees: "SELECT a FROM leak", finds: /doesn't exist/ },
    { what: "USE", sets: "USE information_schema", sees: "SELECT DATABASE() AS v", finds: [{ v: mysqlDatabase }] },
    { what: "a lock by name", sets: "SELECT GET_LOCK('leak', 1)", sees: "SELECT IS_USED_LOCK('leak') AS v", finds: [{ v: null }] },
    { what: "a prepared statement", sets: "PREPARE leak FROM 'SELECT 1'", sees: "EXECUTE leak", finds: /Unknown prepared statement/ },
    { what: "SET before an error", sets: "SET @a = 1; SELECT nothing_there", sees: "SELECT @a AS v", finds: [{ v: null }] },
    { what: "a transaction left open", sets: "SET autocommit = 0", sees: "SELECT @@autocommit AS v", finds: [{ v: 1 }] },
    { what: "what the driver sets", sets: "SET time_zone = '+05:00'", sees: "SELECT @@session.time_zone AS v", finds: [{ v: "+00:00" }] },
  ],
  sqlite: [
    { what: "a temporary table", sets: "CREATE TEMP TABLE leak AS SELECT 1 AS a", sees: "SELECT a FROM leak", finds: /no such table/ },
    { what: "a pragma", sets: "PRAGMA foreign_keys = OFF", sees: "PRAGMA foreign_keys", finds: [{ foreign_keys: 1 }] },
    {
      what: "a pragma before an error",
      sets: "PRAGMA query_only = 1; SELECT nothing_there",
      sees: "PRAGMA query_only",
      finds: [{ query_only: 0 }],
    },
    {
      what: "ATTACH",
      sets: "ATTACH ':memory:' AS leak",
      sees: "SELECT count(*) AS v FROM pragma_database_list WHERE name = 'leak'",
      finds: [{ v: 0 }],
    },
  ],
};

describe.each(targets(join(folder, "sessions.db")))("$driver", (target) => {
  const text = JSON.stringify({
    name: "sessions",
    global: { databases: { main: { driver: target.driver, conn_string: target.conn_string, max_open_conns: 1 } } },
    interfaces: Object.fromEntries(
      leaks[target.driver].flatMap(({ sets, sees }, i) => [
        [`sets${i}`, { method: "POST", actions: [{ name: "Q", database: "main", query: sets }] }],
        [`sees${i}`, { method: "POST", actions: [{ name: "Q", database: "main", query: sees }] }],
      ]),
    ),
  });
  const host = stillHost({});
  beforeAll(() => target.open());
  afterAll(async () => {
    await host.close();
    await target.close();
  });

  test.each([true, false])("interpreted: %s", async (interpret) => {
    const config: Config = await evaluate((await printOne(planned(text), { interpret })).code);
    const ask = async (name: string): Promise<Json> => {
      const { outcomes } = await runOnce(config, name, { body: { v: injected } }, host);
      const [outcome] = outcomes;
      return outcome?.state === "succeeded" ? outcome.data : `failed: ${outcome?.error}`;
    };
    for (const [i, { what, finds }] of leaks[target.driver].entries()) {
      await ask(`sees${i}`);
      await ask(`sets${i}`);
      const seen = await ask(`sees${i}`);
      if (finds instanceof RegExp) expect.soft(seen, what).toMatch(finds);
      else expect.soft(seen, what).toEqual(finds);
    }
  });
});
