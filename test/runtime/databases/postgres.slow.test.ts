import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgres } from "../../../runtime/features/actions/database/postgres.ts";
import { database, ping } from "../../../runtime/features/actions/database.ts";
import type { Json, JsonObject } from "../../../runtime/value/json.ts";
import { failure, type Session, session } from "../../harness/database-run.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { untilTrue } from "../../harness/until.ts";

const schema = `pipewright_test_${process.pid}`;
const hosts: Session["host"][] = [];

/** A process of its own, whose tables are in the schema of this test. */
function open(
  more: JsonObject = {},
  address = `${server}?options=${encodeURIComponent(`-c search_path=${schema} ${more.options ?? ""}`)}`,
): Session {
  const opened = session(postgres, { conn_string: address, ...more });
  hosts.push(opened.host);
  return opened;
}

/** Rows of the server as an administrator sees it. */
async function admin(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

describe.runIf(server !== undefined)("postgres", () => {
  let main: Session;
  const query: Session["query"] = (...args) => main.query(...args);

  beforeAll(async () => {
    await admin(`CREATE SCHEMA ${schema}`);
    main = open();
  });

  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await admin(`DROP SCHEMA ${schema} CASCADE`);
  });

  test.each<[string, Json]>([
    ["1::int2", 1],
    ["(-2147483648)::int4", -2147483648],
    ["9007199254740991::int8", 9007199254740991],
    ["9007199254740993::int8", "9007199254740993"],
    ["0.1::float4", 0.1],
    ["1e300::float8", 1e300],
    ["'NaN'::float8", "NaN"],
    ["'-Infinity'::float8", "-Infinity"],
    ["12.50::numeric(10,2)", 12.5],
    ["0.10::numeric", 0.1],
    ["123456789012345000000::numeric", 123456789012345000000],
    ["0.1234567890123456::numeric", "0.1234567890123456"],
    ["1234567890123456.0::numeric", "1234567890123456.0"],
    ["'NaN'::numeric", "NaN"],
    ["1e-300::numeric", `0.${"0".repeat(299)}1`],
    ["true", true],
    ["false", false],
    ['\'{"a": [1, null], "__proto__": 2}\'::json', JSON.parse('{"a":[1,null],"__proto__":2}')],
    ["'[1]'::jsonb", [1]],
    ["'null'::jsonb", null],
    ["'2024-02-29 12:00:00'::timestamp", "2024-02-29T12:00:00Z"],
    ["'2024-02-29 12:00:00.5'::timestamp", "2024-02-29T12:00:00.500Z"],
    ["'2024-02-29 12:00:00.123999+02'::timestamptz", "2024-02-29T10:00:00.123Z"],
    ["'2024-02-29 12:00:00.000999Z'::timestamptz", "2024-02-29T12:00:00Z"],
    ["'0044-03-15 12:00:00 BC'::timestamp", "0044-03-15 12:00:00 BC"],
    ["'infinity'::timestamptz", "infinity"],
    ["'2024-02-29'::date", "2024-02-29"],
    ["'12:30:00.25'::time", "12:30:00.25"],
    ["'\\x00ff'::bytea", "AP8="],
    ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
    ["'1 day'::interval", "1 day"],
    ["'{1,NULL,3}'::int4[]", [1, null, 3]],
    [
      "'{{1,2},{3,4}}'::int8[]",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ["'[0:1]={1,2}'::int4[]", [1, 2]],
    ["'{}'::text[]", []],
    ["ARRAY['a', 'b,c', 'd\"e', 'f\\g', '', 'NULL', '{x}', ' y ', NULL]", ["a", "b,c", 'd"e', "f\\g", "", "NULL", "{x}", " y ", null]],
    ['ARRAY[\'{"k": "a\\\\b"}\'::jsonb]', [{ k: "a\\b" }]],
    ["ARRAY['2024-01-01 00:00:00'::timestamp]", ["2024-01-01T00:00:00Z"]],
    ["ARRAY[1.50::numeric]", [1.5]],
    ["NULL", null],
  ])("%s", async (sql, expected) => {
    expect(await query(`SELECT ${sql} AS v`)).toEqual([{ v: expected }]);
  });

  test("timestamps are UTC whatever the zone and style of the server", async () => {
    const { query } = open({ options: "-c timezone=Asia/Kolkata -c datestyle=German" });
    expect(await query("SELECT '2024-01-01 00:00:00+00'::timestamptz AS v")).toEqual([{ v: "2024-01-01T00:00:00Z" }]);
  });

  test("types of users: enums are text, their arrays and those of domains are lists", async () => {
    await query("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN age AS int4; CREATE TYPE pair AS (a int, b text)");
    const made = "SELECT 'ok'::mood AS e, ARRAY['ok','sad']::mood[] AS es, 5::age AS d, ARRAY[5,6]::age[] AS ds, ROW(1,'x')::pair AS p";
    for (let i = 0; i < 3; i++) expect(await query(made)).toEqual([{ e: "ok", es: ["ok", "sad"], d: 5, ds: [5, 6], p: "(1,x)" }]);
  });

  test("columns keep their order; of two with the same name the last one counts", async () => {
    expect(JSON.stringify(await query('SELECT 1 AS b, 2 AS a, 3 AS b, 4 AS "__proto__"'))).toBe('[{"b":3,"a":2,"__proto__":4}]');
  });

  test("parameters take the type of their place", async () => {
    const text = "SELECT $1::int AS i, $2::text AS n, $3::bool AS b, $4::float8 AS f, $5::jsonb AS j, $6::text AS l, $7::text AS z";
    for (let i = 0; i < 3; i++) {
      expect(await query(text, ["5", 5, true, 0.5, { k: ["é"] }, ["é"], null])).toEqual([
        { i: 5, n: "5", b: true, f: 0.5, j: { k: ["é"] }, l: '["é"]', z: null },
      ]);
    }
  });

  test("several statements are one transaction and give the rows of the last one that returns any (spec/language 5.4.2)", async () => {
    expect(
      await query("CREATE TABLE several (a int); INSERT INTO several VALUES (1), (2); SELECT a FROM several; DELETE FROM several;"),
    ).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await query("SELECT 1 AS a; SELECT 2 AS b WHERE false; CREATE TABLE other (a int)")).toEqual([]);
    expect(await failure(query("INSERT INTO several VALUES (3); SELECT nope"))).toBe('database: database: column "nope" does not exist');
    expect(await query("SELECT count(*) AS n FROM several;\n")).toEqual([{ n: 0 }]);
    expect(await query("INSERT INTO several VALUES (4); SELECT 1", undefined, { multi: true })).toEqual([]);
    expect(await query("SELECT a FROM several")).toEqual([{ a: 4 }]);
    expect(await failure(query("SELECT $1::int; SELECT 1", [1]))).toMatch(/^database: database: cannot insert multiple commands/);
    expect(await query("")).toEqual([]);
  });

  test("an error leaves the connection usable, and no transaction outlives its query", async () => {
    const { query } = open({ max_open_conns: 1 });
    const [first] = (await query("SELECT pg_backend_pid() AS pid")) as [JsonObject];
    expect(await failure(query("SELECT * FROM nope"))).toBe('database: database: relation "nope" does not exist');
    expect(await failure(query("SELECT 1/$1::int", [0]))).toBe("database: database: division by zero");
    expect(await query("SELECT pg_backend_pid() AS pid")).toEqual([first]);
    expect(await failure(query("BEGIN"))).toBe("database: database: the query left a transaction open; it was rolled back");
    expect(await failure(query("BEGIN; SELECT 1/0; COMMIT"))).toBe("database: database: division by zero");
    await query("CREATE TABLE committed (a int)");
    expect(await admin(`SELECT a FROM ${schema}.committed`)).toEqual([]);
    expect(await failure(query("COPY several FROM STDIN"))).toMatch(/COPY FROM STDIN/);
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  test("a prepared statement survives a change of the schema and the loss of what was prepared", async () => {
    const { query } = open({ max_open_conns: 1 });
    await query("CREATE TABLE changing (a int); INSERT INTO changing VALUES (1)");
    const read = (): Promise<Json> => query("SELECT * FROM changing WHERE a = $1", [1]);
    for (let i = 0; i < 3; i++) expect(await read()).toEqual([{ a: 1 }]);
    const made = (): Promise<Json> =>
      query("SELECT prepare_time AS at FROM pg_prepared_statements WHERE statement LIKE 'SELECT * FROM changing%'");
    const before = await made();
    await query("ALTER TABLE changing ADD COLUMN b int DEFAULT 2");
    for (let i = 0; i < 3; i++) expect(await read()).toEqual([{ a: 1, b: 2 }]);
    expect(await made()).not.toEqual(before);
    await query("DEALLOCATE ALL");
    for (let i = 0; i < 3; i++) expect(await read()).toEqual([{ a: 1, b: 2 }]);
    expect(await query("SELECT count(*) AS n FROM pg_prepared_statements WHERE statement LIKE 'SELECT * FROM changing%'")).toEqual([
      { n: 1 },
    ]);
  });

  test("prepared statements stay bounded", async () => {
    const { query } = open({ max_open_conns: 1 });
    for (let i = 0; i < 300; i++) for (let twice = 0; twice < 2; twice++) await query(`SELECT ${i} AS n`);
    const [row] = (await query("SELECT count(*) AS n FROM pg_prepared_statements")) as [{ n: number }];
    expect(row.n).toBeGreaterThan(200);
    expect(row.n).toBeLessThanOrEqual(256);
    for (let i = 0; i < 300; i++) expect(await query(`SELECT ${i} AS n`)).toEqual([{ n: i }]);
  });

  test("a query that takes too long ends here and on the server", async () => {
    const { query } = open({ max_open_conns: 1 });
    const slow = `SELECT pg_sleep(30), '${schema}' AS v`;
    const running = async (): Promise<boolean> =>
      (await admin("SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = $1", [slow])).length > 0;
    expect(await failure(query(slow, undefined, { timeout: 50 }))).toBe("timeout: timed out after 50ms");
    expect(await failure(query(slow, undefined, { timeout: 300 }))).toBe("timeout: timed out after 300ms");
    await untilTrue(async () => !(await running()));
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  test("a cancelled run ends its query; the wait for a connection counts as time of the query", async () => {
    const { query, act, source } = open({ max_open_conns: 1 });
    const slow = act();
    const first = failure(database(slow, source, { query: "SELECT pg_sleep(30)" }));
    expect(await failure(query("SELECT 1", undefined, { timeout: 200 }))).toBe("timeout: timed out after 200ms");
    slow.run.cancel("gone");
    expect(await first).toBe("database: database: cancelled");
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  /** The sessions that work on a query which ends with this comment. */
  const active = (comment: string): ReturnType<typeof admin> =>
    admin("SELECT pid FROM pg_stat_activity WHERE query LIKE $1 AND state = 'active' AND pid <> pg_backend_pid()", [`%/* ${comment} */`]);

  test("killed connections, idle and busy, do not end the process", async () => {
    const { query, logged } = open({ max_open_conns: 2 });
    const [{ pid }] = (await query("SELECT pg_backend_pid() AS pid")) as [{ pid: number }];
    await admin("SELECT pg_terminate_backend($1)", [pid]);
    await untilTrue(async () => logged.length > 0);
    expect(logged[0]).toMatch(/^warn database connection lost: /);
    const busy = failure(query(`SELECT pg_sleep(30) /* killed ${schema} */`));
    await untilTrue(async () => (await active(`killed ${schema}`)).length > 0);
    await admin("SELECT pg_terminate_backend($1)", [(await active(`killed ${schema}`))[0]?.pid]);
    expect(await busy).toBe("database: database: terminating connection due to administrator command");
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  test("a connection that breaks off in the middle does not end the process", async () => {
    const { hostname, port } = new URL(server ?? "");
    const sockets: Socket[] = [];
    const proxy = createServer((near) => {
      const far = connect(Number(port || 5432), hostname);
      for (const socket of [near, far]) socket.on("error", () => undefined);
      near.pipe(far).pipe(near);
      sockets.push(near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = new URL(server ?? "");
    address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { query, logged } = open({}, address.href);
    const busy = failure(query(`SELECT pg_sleep(30) /* cut ${schema} */`));
    await untilTrue(async () => (await active(`cut ${schema}`)).length > 0);
    for (const socket of sockets) socket.resetAndDestroy();
    expect(await busy).toMatch(/^database: database: (?:read ECONNRESET|Connection terminated unexpectedly)$/);
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
    for (const socket of sockets) socket.resetAndDestroy();
    await untilTrue(async () => logged.length > 0);
    expect(await query("SELECT 2 AS n")).toEqual([{ n: 2 }]);
    proxy.close();
  });

  test("literals are safe where the server treats backslashes as escapes by default", async () => {
    const { query } = open({ options: "-c standard_conforming_strings=off -c bytea_output=escape" });
    expect(await query("SELECT 'a\\' AS v, '\\x5c00'::bytea AS b")).toEqual([{ v: "a\\", b: "XAA=" }]);
  });

  test("NUL neither ends the protocol's message nor the connection", async () => {
    expect(await failure(query("SELECT 1\0; DROP TABLE several"))).toBe("database: database: the query holds a NUL character");
    expect(await failure(query("SELECT $1::text AS v", ["a\0b"]))).toMatch(/invalid byte sequence/);
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  test("many queries at once share the pool", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => query("SELECT $1::int AS n", [i])));
    expect(all).toEqual(Array.from({ length: 100 }, (_, i) => [{ n: i }]));
  });

  test("given in parts", async () => {
    const { username, hostname, port, password } = new URL(server ?? "");
    const parts = {
      host: hostname,
      port: port || 5432,
      user: username,
      pass: password || null,
      dbname: "postgres",
      params: { application_name: "in parts" },
    };
    const { query, source, act } = session(postgres, parts);
    expect(await query("SELECT current_setting('application_name') AS v")).toEqual([{ v: "in parts" }]);
    await ping(source, act().run);
    await act().run.host.close();
  });
});

describe("postgres out of reach", () => {
  test("is an error without the connection string, and no end of the process", async () => {
    const { query, source, act } = open({}, "postgres://someone:s3cret@127.0.0.1:1/db");
    expect(await failure(query("SELECT 1"))).toBe("database: database: connect ECONNREFUSED 127.0.0.1:1");
    expect(await failure(ping(source, act().run))).toMatch(/ECONNREFUSED/);
    const localhost = open({}, "postgres://someone:s3cret@localhost:1/db");
    expect(await failure(localhost.query("SELECT 1"))).toMatch(/^database: database: connect ECONNREFUSED/);
    const broken = open({}, "postgres://someone:s3cret@[oops/db");
    expect(await failure(broken.query("SELECT 1"))).not.toMatch(/s3cret|oops/);
    expect(await failure(open({}, "").query("SELECT 1"))).toBe("database: database: conn_string is not set");
  });
});
