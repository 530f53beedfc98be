import { type AddressInfo, createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgres } from "../../../runtime/features/actions/database/postgres.ts";
import { database } from "../../../runtime/features/actions/database.ts";
import type { Json, JsonObject } from "../../../runtime/value/json.ts";
import { failure, type Session, session } from "../../harness/database-run.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { untilTrue } from "../../harness/until.ts";

// Connections of PostgreSQL over time: prepared statements, limits, settings, parts of an address.

const schema = `pipewright_sessions_${process.pid}`;
const odd = `${schema}:d b@x/%20?#`;
const hosts: Session["host"][] = [];

function open(more: JsonObject = {}): Session {
  const options = encodeURIComponent(`-c search_path=${schema} ${more.options ?? ""}`);
  const opened = session(postgres, { conn_string: `${server}?options=${options}`, ...more });
  hosts.push(opened.host);
  return opened;
}

async function admin(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe.runIf(server !== undefined)("sessions of postgres", () => {
  beforeAll(async () => {
    await admin(`CREATE SCHEMA ${schema}`);
    await admin(`CREATE DATABASE "${odd}"`);
  });

  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await admin(`DROP SCHEMA ${schema} CASCADE`);
    await admin(`DROP DATABASE "${odd}"`);
  });

  test("params of a prepared statement follow the types of their columns", async () => {
    const { query } = open({ max_open_conns: 1 });
    await query("CREATE TABLE wide (id int, n int DEFAULT 0); INSERT INTO wide VALUES (1)");
    const read = (id: string): Promise<Json> => query("SELECT id FROM wide WHERE id = $1", [id]);
    const write = (id: string): Promise<Json> => query("INSERT INTO wide (id) VALUES ($1)", [id]);
    for (let i = 0; i < 3; i++) expect(await read("1")).toEqual([{ id: 1 }]);
    for (let i = 0; i < 3; i++) await write("2");
    await query("ALTER TABLE wide ALTER COLUMN id TYPE bigint");
    for (let i = 0; i < 3; i++) expect(await read("3000000000")).toEqual([]);
    await write("3000000000");
    expect(await read("3000000000")).toEqual([{ id: 3_000_000_000 }]);
  });

  test("binary columns are read in both forms of bytea_output", async () => {
    const { query } = open();
    const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const bytes = `'\\x${every.toString("hex")}'::bytea`;
    const value = every.toString("base64");
    for (const form of ["escape", "hex"])
      expect(await query(`SET bytea_output = ${form}; SELECT ${bytes} AS b, ARRAY[${bytes}, ''] AS list, '\\x5c78'::bytea AS x`)).toEqual([
        { b: value, list: [value, ""], x: "XHg=" },
      ]);
  });

  test.each(["German", "SQL", "SQL, DMY", "Postgres", "Postgres, DMY"])(
    "dates in the style %s fail with the setting, never with another form",
    async (style) => {
      const { query } = open();
      const read = (what: string): Promise<Json> => query(`SET datestyle = '${style}'; SELECT ${what} AS v; SET datestyle = ISO`);
      for (const what of [
        "date '2024-02-29'",
        "timestamp '2024-02-29 01:02:03'",
        "timestamptz '2024-12-31 01:02:03 BC'",
        "ARRAY[date '2024-02-29']",
        "ARRAY[timestamp '12345-02-27']",
        "daterange('2024-02-29', NULL)",
        "tstzrange(NULL, '2024-02-29')",
        "datemultirange(daterange('2024-01-01', '2024-02-29'))",
      ])
        await expect(read(what)).rejects.toThrow(
          "a date is not in the form of ISO: the query has changed datestyle, which has to be ISO where dates are read",
        );
      expect(await read("to_char(date '2024-02-29', 'DD.MM.YYYY')")).toEqual([{ v: "29.02.2024" }]);
      expect(await read("timestamp 'infinity'")).toEqual([{ v: "infinity" }]);
    },
  );

  test("dates in the form of ISO are as the server writes them", async () => {
    const { query } = open();
    const dates = [
      "date '2024-02-29'",
      "date '0044-03-15 BC'",
      "date '12345-01-02'",
      "date '-infinity'",
      "daterange('2024-01-01', '12345-01-01')",
    ];
    expect(await query(`SET datestyle = 'ISO, DMY'; SELECT ${dates.map((date, i) => `${date} AS d${i}`).join()}`)).toEqual([
      { d0: "2024-02-29", d1: "0044-03-15 BC", d2: "12345-01-02", d3: "-infinity", d4: "[2024-01-01,12345-01-01)" },
    ]);
  });

  test("an enum that was made anew is taken", async () => {
    const { query } = open({ max_open_conns: 1 });
    await query("CREATE TYPE mood AS ENUM ('ok'); CREATE TABLE feels (m mood); INSERT INTO feels VALUES ('ok')");
    const read = (m: string): Promise<Json> => query("SELECT count(*) AS n FROM feels WHERE m = $1", [m]);
    for (let i = 0; i < 3; i++) expect(await read("ok")).toEqual([{ n: 1 }]);
    await query("DROP TYPE mood CASCADE; CREATE TYPE mood AS ENUM ('ok', 'sad'); ALTER TABLE feels ADD COLUMN m mood");
    for (let i = 0; i < 3; i++) expect(await read("sad")).toEqual([{ n: 0 }]);
  });

  test("a wrong value gives its error, and what has begun is not sent again", async () => {
    const { query } = open({ max_open_conns: 1 });
    await query("CREATE TABLE once (id int PRIMARY KEY); CREATE SEQUENCE tries");
    const write = (id: string): Promise<Json> => query("INSERT INTO once SELECT nextval('tries') * 0 + $1", [id]);
    await write("1");
    await query("DELETE FROM once");
    await write("1");
    for (let i = 0; i < 3; i++) expect(await failure(write("x"))).toBe('database: database: invalid input syntax for type bigint: "x"');
    expect(await failure(write("1"))).toMatch(/duplicate key/);
    expect(await query("SELECT last_value AS n FROM tries")).toEqual([{ n: 3 }]);
  });

  test("long durations are bounds, too", async () => {
    const { query } = open({ timeout: "30 days", conn_max_lifetime: "30 days" });
    const pid = (): Promise<Json> => query("SELECT pg_backend_pid() AS pid");
    const first = await pid();
    for (let i = 0; i < 5; i++) expect(await pid()).toEqual(first);
  });

  test("a query that waits for the pool ends by its own limit", async () => {
    const { query, act, source } = open({ max_open_conns: 1, timeout: 300 });
    const slow = act();
    const first = failure(database(slow, source, { query: "SELECT pg_sleep(30)", timeout: 60_000 }));
    const all = await Promise.all(Array.from({ length: 20 }, () => failure(query("SELECT 1"))));
    expect(new Set(all)).toEqual(new Set(["timeout: timed out after 300ms"]));
    const patient = query("SELECT 2 AS n", undefined, { timeout: 60_000 });
    await failure(query("SELECT 1"));
    slow.run.cancel("gone");
    expect(await first).toBe("database: database: cancelled");
    expect(await patient).toEqual([{ n: 2 }]);
  });

  test("a connection that hangs ends", async () => {
    let open = 0;
    const silent = createServer((socket) => {
      open += 1;
      socket.on("error", () => undefined).once("close", () => (open -= 1));
      socket.resume();
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = `postgres://u@127.0.0.1:${(silent.address() as AddressInfo).port}/db`;
    const { query, host } = session(postgres, { conn_string: address, max_open_conns: 1, timeout: 200 });
    for (let i = 0; i < 3; i++) expect(await failure(query("SELECT 1"))).toBe("timeout: timed out after 200ms");
    await untilTrue(() => open === 0);
    await host.close();
    silent.close();
  });

  test("times are UTC, floats have their digits and intervals one style, whatever the server says", async () => {
    const { query } = open({ options: "-c timezone=Asia/Kolkata -c extra_float_digits=-4 -c intervalstyle=iso_8601", max_open_conns: 1 });
    const text = `SELECT current_setting('timezone') AS zone, to_char('2024-06-01T23:30:00Z'::timestamptz, 'YYYY-MM-DD HH24') AS text,
      ('2024-06-01T23:30:00Z'::timestamptz)::date AS day, '2024-06-01 12:00'::timestamptz AS at, 0.1::float8 + 0.2 AS f, '1 day'::interval AS i`;
    const expected = [
      { zone: "UTC", text: "2024-06-01 23", day: "2024-06-01", at: "2024-06-01T12:00:00Z", f: 0.30000000000000004, i: "1 day" },
    ];
    expect(await query(text)).toEqual(expected);
    await query("SET TIME ZONE 'Europe/Berlin'", undefined, { session: true });
    expect(await query(text)).toEqual(expected);
  });

  test("parts of an address are taken as they are written", async () => {
    const { username, hostname, port, password } = new URL(server ?? "");
    const parts = { host: hostname, port: port || 5432, user: username, pass: password || null };
    const { query, host } = session(postgres, { ...parts, dbname: odd, params: { application_name: "a b&c%20" } });
    hosts.push(host);
    expect(await query("SELECT current_database() AS d, current_setting('application_name') AS a")).toEqual([{ d: odd, a: "a b&c%20" }]);
  });
});
