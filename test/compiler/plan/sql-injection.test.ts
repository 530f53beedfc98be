import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import { mysql } from "../../../runtime/features/actions/database/mysql.ts";
import { postgres } from "../../../runtime/features/actions/database/postgres.ts";
import { sqlite } from "../../../runtime/features/actions/database/sqlite.ts";
import { type DatabaseArgs, database } from "../../../runtime/features/actions/database.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import { isObject, type Json, type JsonObject } from "../../../runtime/value/json.ts";
import { type Session, session } from "../../harness/database-run.ts";
import { administer, mysqlServer } from "../../harness/peers/mysql-server.ts";
import { server as postgresServer } from "../../harness/peers/postgres-server.ts";
import { evaluated } from "./lowering.ts";

// Hostile data in every kind of hole, on real databases: a value comes back as it went in, and nothing else happens.

const name = `pipewright_injection_${process.pid}`;

const drop = "DROP TABLE canary";

/** Texts that end, open or hide something in at least one of the languages. */
const texts: readonly string[] = [
  ...["'", "''", "'''", '"', '""', "`", "``", "\\", "\\\\", "\\'", "\\''", '\\"', "\\`", "'\\", "\\\\'", "[x]", "]", "]]"],
  ...[
    `'; ${drop}; --`,
    `' OR '1'='1`,
    `' OR 1=1 -- `,
    `' OR 1=1 #`,
    `'/**/OR/**/1=1`,
    `\\'; ${drop}; -- `,
    `"; ${drop}; --`,
    `\`; ${drop}; -- `,
  ],
  ...[`1; ${drop}`, "1 OR 1=1", "1) UNION SELECT secret FROM canary -- ", `'); ${drop}; --`, "' || (SELECT secret FROM canary) || '"],
  ...["--", "-- ", "--\n", "#", "#\n", "/*", "*/", "/* x */", "/*! 1 */", "/*!50000 ' */", "/*M! ' */", "-", ";", ";;"],
  ...["$$", "$q$", "$1", "?", "?1", ":a", "@a", "@@version", "{0}", "%s", "%", "_", "a|body::v|", "a|var::DSN|"],
  ...["\n", "\r", "\r\n", "\t", "\u0008", "\u001a", "\\n", "\\0", "\\x27", "\\u0027", "\\\n", "x\\\r\ny", " ", "  padded  "],
  ...[
    "ü𝕏",
    "\u2019",
    "\u02bc",
    "\uff07",
    "\u00bf'",
    "縗'",
    "\u00a0'",
    "\u2028'",
    "\u{10ffff}'",
    "ﬀ\u0301",
    "\ud800'",
    "NULL",
    "TRUE",
    "null",
  ],
  ...["E'", "U&'\\0027", "N'", "x'27'", "_latin1'", "0x27", "CHAR(39)", "q'[", "DEFAULT", "CURRENT_USER", "", `${"x".repeat(5000)}'`],
];

/** Numbers as text, which stay text. */
const numbers: readonly string[] = ["0", "-5", "1e5", "-1.5e-3", "123456789012", " 7 ", "-0"];

/** Values that are no text: none of them may become more than one value. */
const others: readonly Json[] = [null, true, false, 5, -0.5, [], ["'", "\\"], { "'": "\\'" }, [{ a: `'; ${drop}; --` }], { $gt: "" }];

interface Place {
  readonly what: string;
  readonly query: string;
  readonly params?: readonly string[];
  /** The value that the database gives for a text under the name `v`; absent: the text. */
  readonly gives?: (value: string) => Json;
  /** The name of the column holds it. */
  readonly named?: (value: string) => string;
}

const inList = "of a list";

const around = (value: string): string => `x-${value}-y`;

const everywhere: readonly Place[] = [
  { what: "bare", query: "SELECT a|body::v| AS v" },
  { what: "bare without blanks", query: "SELECT(a|body::v|)AS v" },
  { what: "bare as text", query: "SELECT a|body::v->single_quote| AS v", gives: (value) => value },
  { what: "inside '...'", query: "SELECT 'x-a|body::v|-y' AS v", gives: around },
  { what: "behind a doubled quote", query: "SELECT 'it''s a|body::v|' AS v", gives: (value) => `it's ${value}` },
  { what: "twice inside '...'", query: "SELECT 'a|body::v|a|body::v|' AS v", gives: (value) => value + value },
  { what: inList, query: "SELECT 'found' AS v WHERE 'q' IN ('q', a|body::list->array_values|)", gives: () => "found" },
  { what: "in an object", query: "SELECT a|body::o| AS v", gives: (value) => JSON.stringify({ [value]: [value] }) },
  { what: "behind a comment", query: "SELECT /* ' */ 'x-a|body::v|-y' -- '\n AS v", gives: around },
];

interface Database {
  readonly driver: "postgres" | "mysql" | "sqlite";
  readonly open: () => Promise<Session>;
  readonly close: () => Promise<void>;
  readonly places: readonly Place[];
  readonly make: string;
}

const quotedName: Place = { what: 'inside "..."', query: 'SELECT 1 AS "n-a|body::v|"', named: (value) => `n-${value}` };
const backticks: Place = { what: "inside `...`", query: "SELECT 1 AS `n-a|body::v|-z`", named: (value) => `n-${value}-z` };
const table = "CREATE TABLE canary (id int, secret varchar(20)); INSERT INTO canary VALUES (1, 'untouched');";

const databases: readonly Database[] = [
  {
    driver: "postgres",
    open: async () => {
      const { query } = session(postgres, { conn_string: postgresServer ?? "" });
      await query(`CREATE SCHEMA ${name}`);
      return session(postgres, { conn_string: `${postgresServer}?options=${encodeURIComponent(`-c search_path=${name}`)}` });
    },
    close: async () => void (await session(postgres, { conn_string: postgresServer ?? "" }).query(`DROP SCHEMA ${name} CASCADE`)),
    places: [
      quotedName,
      { what: "inside E'...'", query: "SELECT E'x-\\'a|body::v|\\\\' AS v", gives: (value) => `x-'${value}\\` },
      { what: "as a parameter", query: "SELECT $1::text AS v", params: ["a|body::v|"], gives: (value) => value },
    ],
    make: `${table} CREATE TABLE notes (text text)`,
  },
  {
    driver: "mysql",
    open: async () => {
      await administer(`CREATE DATABASE ${name}`);
      return session(mysql, { conn_string: `${mysqlServer}/${name}` });
    },
    close: async () => void (await administer(`DROP DATABASE ${name}`)),
    places: [
      backticks,
      { what: 'inside "..."', query: 'SELECT "x-a|body::v|-y" AS v', gives: around },
      { what: "behind an escaped quote", query: "SELECT 'x\\'a|body::v|' AS v", gives: (value) => `x'${value}` },
      { what: "behind #", query: "SELECT # '\n 'a|body::v|' AS v", gives: (value) => value },
      { what: "as a parameter", query: "SELECT ? AS v", params: ["a|body::v|"], gives: (value) => value },
    ],
    make: `${table} CREATE TABLE notes (text longtext CHARACTER SET utf8mb4)`,
  },
  {
    driver: "sqlite",
    open: async () => session(sqlite, { conn_string: "sqlite::memory:" }),
    close: async () => undefined,
    places: [quotedName, backticks, { what: "as a parameter", query: "SELECT ? AS v", params: ["a|body::v|"], gives: (value) => value }],
    make: `${table} CREATE TABLE notes (text text)`,
  },
];

/** The arguments of a query, as the compiler plans it. */
function planned(driver: string, query: string, params: readonly string[] = []): Expr {
  const config = {
    name: "t",
    global: { databases: { main: { driver, conn_string: "a|var::DSN|" } } },
    interfaces: {
      t: { method: "POST", actions: [{ name: "A", database: "main", query, ...(params.length === 0 ? {} : { params: [...params] }) }] },
    },
  };
  const { plans, diagnostics, failed } = planTexts([{ file: "t.yml", text: JSON.stringify(config) }]);
  expect([failed, diagnostics.filter(({ code }) => code !== "PW416")], query).toEqual([false, []]);
  const op = plans[0]?.interfaces[0]?.actions[0]?.ops[0];
  if (op?.op !== "query") throw new Error("no query");
  return op.args;
}

const present: Readonly<Record<Database["driver"], boolean>> = {
  postgres: postgresServer !== undefined,
  mysql: mysqlServer !== undefined,
  sqlite: true,
};

describe.each(databases.filter(({ driver }) => present[driver]))("$driver", ({ driver, open, close, places, make }) => {
  let world: Session;
  beforeAll(async () => {
    world = await open();
    await world.query(make);
  });
  afterAll(async () => {
    await world.host.close();
    await close();
  });

  const run = async (args: Expr, body: Json): Promise<JsonObject> => {
    const given = evaluated(args, { body }) as unknown as DatabaseArgs; // the arguments of a query
    const rows = await database(world.act(), world.source, given);
    if (!Array.isArray(rows) || rows.length !== 1 || !isObject(rows[0] ?? null)) throw new Error(`not one row: ${JSON.stringify(rows)}`);
    return rows[0] as JsonObject;
  };
  const expectUnhurt = async (): Promise<void> => {
    expect(await world.query("SELECT id, secret FROM canary")).toEqual([{ id: 1, secret: "untouched" }]);
  };

  test.each([...everywhere, ...places])("a text stays in its hole: $what", async ({ query, params, gives, named }) => {
    const args = planned(driver, query, params);
    for (const value of [...texts, ...numbers]) {
      const sent = value.toWellFormed();
      // Names are limited in length, and those of MySQL have no characters beyond 16 bits.
      if (named !== undefined && (Buffer.byteLength(sent) > 50 || (driver === "mysql" && /[\ud800-\udfff]/.test(sent)))) continue;
      const row = await run(args, { v: value, o: { [value]: [value] }, list: [value, [value]] });
      if (named !== undefined) expect(Object.keys(row), JSON.stringify(value)).toEqual([named(sent)]);
      // Where JSON escapes a lone surrogate it comes back as it was.
      else expect(row, JSON.stringify(value)).toEqual({ v: query.includes("body::o") ? gives?.(value) : (gives ?? String)(sent) });
    }
    await expectUnhurt();
  });

  test.each([...everywhere, ...places].filter(({ what, query }) => what !== inList && !query.includes("body::o")))(
    "any value is one: $what",
    async ({ query, params }) => {
      const args = planned(driver, query, params);
      for (const value of others) {
        const row = await run(args, { v: value, list: value });
        expect(Object.keys(row), JSON.stringify(value)).toHaveLength(1);
      }
      await expectUnhurt();
    },
  );

  test.each([...everywhere, ...places])("NUL never gets into SQL: $what", async ({ query, params, what }) => {
    const args = planned(driver, query, params);
    const answer = run(args, { v: "a\0b", o: { "a\0b": 1 }, list: ["a\0b"] });
    // JSON has an escape for it, and SQLite and MySQL take it as data.
    if (what === "in an object") expect((await answer).v).toBe('{"a\\u0000b":1}');
    else if ((params !== undefined || what.startsWith("bare")) && driver !== "postgres") expect(await answer).toEqual({ v: "a\0b" });
    else await expect(answer).rejects.toThrow(/NUL|invalid byte sequence/);
    await expectUnhurt();
  });

  test("what was stored is as harmless as what was sent (second order)", async () => {
    const store = planned(driver, "INSERT INTO notes (text) VALUES (?)", ["a|body::v|"]);
    const asHole = planned(driver, "INSERT INTO notes (text) VALUES (a|body::v->single_quote|)");
    const again = planned(driver, "SELECT text AS v FROM notes WHERE text = a|body::v->single_quote|");
    for (const value of texts.map((text) => text.toWellFormed())) {
      for (const args of [store, asHole]) {
        await world.query("DELETE FROM notes");
        await database(world.act(), world.source, evaluated(args, { body: { v: value } }) as unknown as DatabaseArgs);
        const [{ text }] = (await world.query("SELECT text FROM notes")) as [{ text: string }];
        expect(text).toBe(value);
        expect(await run(again, { v: text }), JSON.stringify(value)).toEqual({ v: value });
      }
    }
    await expectUnhurt();
  });
});
