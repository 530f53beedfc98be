import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysql } from "../../../runtime/features/actions/database/mysql.ts";
import { database, ping } from "../../../runtime/features/actions/database.ts";
import type { Json, JsonObject } from "../../../runtime/value/json.ts";
import { failure, type Session, session } from "../../harness/database-run.ts";
import { administer, mysqlServer } from "../../harness/peers/mysql-server.ts";
import { untilTrue } from "../../harness/until.ts";

const name = `pipewright_test_${process.pid}`;
const hosts: Session["host"][] = [];

/** A process of its own, in the database of this test. */
function open(more: JsonObject = {}, address = `${mysqlServer}/${name}`): Session {
  const opened = session(mysql, { conn_string: address, ...more });
  hosts.push(opened.host);
  return opened;
}

const processes = (info: string): Promise<Record<string, unknown>[]> =>
  administer(`SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE '%${info}%' AND ID <> CONNECTION_ID()`);

afterAll(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  if (mysqlServer !== undefined) await administer(`DROP DATABASE IF EXISTS ${name}`);
});

describe.runIf(mysqlServer !== undefined)("mysql", () => {
  let main: Session;
  const query: Session["query"] = (...args) => main.query(...args);

  beforeAll(async () => {
    await administer(`CREATE DATABASE ${name}`);
    main = open();
  });

  test.each([
    "SET time_zone = '+05:00'; SELECT FROM_UNIXTIME(0) AS v",
    "SET @@session.time_zone = '-01:00'; SELECT NOW() AS v; SET time_zone = '+00:00'",
  ])("a time of another zone than UTC fails: %s", (text) =>
    expect(query(text)).rejects.toThrow(/^database: the query has set time_zone to '[+-]0\d:00', and times are read as UTC/),
  );

  test.each<[string, Json]>([
    ["SET time_zone = '+05:00'; SELECT DATE_FORMAT(FROM_UNIXTIME(0), '%H:%i') AS v", "05:00"],
    ["SET time_zone = '+05:00'; SET time_zone = '-00:00'; SELECT FROM_UNIXTIME(0) AS v", "1970-01-01T00:00:00Z"],
  ])("%s is read", async (text, v) => {
    expect(await query(text)).toEqual([{ v }]);
  });

  test.each<[string, string, Json]>([
    ["TINYINT", "-3", -3],
    ["TINYINT UNSIGNED", "200", 200],
    ["BOOLEAN", "TRUE", true],
    ["BOOLEAN", "0", false],
    ["TINYINT(1)", "5", 5],
    ["TINYINT(1) UNSIGNED", "1", 1],
    ["INT", "-2147483648", -2147483648],
    ["BIGINT", "9007199254740991", 9007199254740991],
    ["BIGINT", "9007199254740993", "9007199254740993"],
    ["BIGINT UNSIGNED", "18446744073709551615", "18446744073709551615"],
    ["FLOAT", "0.1", 0.1],
    ["FLOAT", "16777216", 16777200],
    ["DOUBLE", "1e300", 1e300],
    ["DECIMAL(10,2)", "12.50", 12.5],
    ["DECIMAL(30,10)", "12345678901234567890.5", "12345678901234567890.5000000000"],
    ["DECIMAL(20,0)", "123456789012345", 123456789012345],
    ["YEAR", "2024", 2024],
    ["BIT(1)", "b'1'", 1],
    ["BIT(64)", "b'1111111111111111111111111111111111111111111111111111111111111111'", "18446744073709551615"],
    ["DATETIME", "'2024-02-29 12:00:00'", "2024-02-29T12:00:00Z"],
    ["DATETIME(6)", "'2024-02-29 12:00:00.123999'", "2024-02-29T12:00:00.123Z"],
    ["DATETIME(3)", "'2024-02-29 12:00:00.5'", "2024-02-29T12:00:00.500Z"],
    ["TIMESTAMP", "'2024-02-29 12:00:00'", "2024-02-29T12:00:00Z"],
    ["DATE", "'2024-02-29'", "2024-02-29"],
    ["TIME", "'12:30:00'", "12:30:00"],
    ["TIME(3)", "'-12:30:00.25'", "-12:30:00.25"],
    ["TIME(6)", "'12:30:00'", "12:30:00"],
    ["TIME", "'-838:59:59'", "-838:59:59"],
    ["BLOB", "x'00ff'", "AP8="],
    ["BINARY(2)", "x'0102'", "AQI="],
    ["JSON", '\'{"a": [1, null], "__proto__": 2}\'', JSON.parse('{"a":[1,null],"__proto__":2}')],
    ["JSON", "'5'", 5],
    ["ENUM('a', 'b')", "'b'", "b"],
    ["SET('x', 'y')", "'y,x'", "x,y"],
    ["VARCHAR(20)", "'tüx 𝕏'", "tüx 𝕏"],
    ["TEXT", "''", ""],
    ["POINT", "POINT(1, 2)", { x: 1, y: 2 }],
    ["INT", "NULL", null],
  ])("%s: %s, as text and prepared", async (type, value, expected) => {
    await query(`CREATE OR REPLACE TABLE typed (v ${type}); INSERT INTO typed VALUES (${value})`);
    expect(await query("SELECT v FROM typed")).toEqual([{ v: expected }]);
    expect(await query("SELECT v FROM typed WHERE 1 = ?", [1])).toEqual([{ v: expected }]);
  });

  test("times are UTC and literals as the compiler reads them, whatever the server's configuration says", async () => {
    const before = await administer("SELECT @@GLOBAL.sql_mode AS mode, @@GLOBAL.time_zone AS zone");
    try {
      await administer("SET GLOBAL sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES', GLOBAL time_zone = '+05:30'");
      const { query } = open();
      expect(await query(`SELECT 'a\\'b' AS a, "c\\"" AS c, FROM_UNIXTIME(0) AS t, @@sql_mode AS m`)).toEqual([
        { a: "a'b", c: 'c"', t: "1970-01-01T00:00:00Z", m: expect.not.stringMatching(/ANSI|BACKSLASH/) },
      ]);
      const [{ m }] = (await query("SELECT @@sql_mode AS m")) as [{ m: string }];
      expect(m).toContain("STRICT_TRANS_TABLES");
    } finally {
      await administer(`SET GLOBAL sql_mode = '${before[0]?.mode}', GLOBAL time_zone = '${before[0]?.zone}'`);
    }
  });

  test("columns keep their order; of two with the same name the last one counts", async () => {
    expect(JSON.stringify(await query("SELECT 1 AS b, 2 AS a, 3 AS b, 4 AS `__proto__`"))).toBe('[{"b":3,"a":2,"__proto__":4}]');
  });

  test("parameters are bound as they are; LIMIT takes a number and a string (spec/language 5.4.2)", async () => {
    const text = "SELECT ? AS i, ? AS f, ? AS s, ? AS b, ? AS o, ? AS l, ? AS z";
    for (let i = 0; i < 3; i++) {
      expect(await query(text, [5, 0.5, "5", true, { k: ["é"] }, ["é"], null])).toEqual([
        { i: 5, f: 0.5, s: "5", b: 1, o: '{"k":["é"]}', l: '["é"]', z: null },
      ]);
    }
    for (const limit of [2, "2"]) expect(await query("SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 LIMIT ?", [limit])).toHaveLength(2);
  });

  test("a number is bound as the number that its digits are (spec/language 5.4.3)", async () => {
    await query("CREATE TABLE accounts (k int PRIMARY KEY, n bigint, b decimal(30,2), d double, t text, j json, KEY (n))");
    await query("INSERT INTO accounts VALUES (1, 1234567890123456789, 90071992547409931.55, 0.5, '', '{}')");
    await query("UPDATE accounts SET n = n + ?, b = b + ?, d = d + ?, t = ?, j = JSON_SET(j, '$.n', ?, '$.f', ?)", [
      ...[1, 0.25, 0.25, 1_700_000_000_000_000, 5, 0.5],
    ]);
    expect(await query("SELECT n, b, d, t, j FROM accounts")).toEqual([
      { n: "1234567890123456790", b: "90071992547409931.80", d: 0.75, t: "1700000000000000", j: { n: 5, f: 0.5 } },
    ]);
    const values = [1e15, -7, 0.1, 12.5, 1e-7, 123456789012345680000, 1e300, -0];
    const texts = ["1000000000000000", "-7", "0.1", "12.5", "0.0000001", "123456789012345680000", "1e300", "0"];
    for (const [i, value] of values.entries())
      expect(await query("SELECT CONCAT('id-', ?) AS c, CAST(? AS CHAR) AS t", [value, value])).toEqual([
        { c: `id-${texts[i]}`, t: texts[i] },
      ]);
    expect(await query("SELECT k FROM accounts WHERE n = ? + ?", [1234567890123, 0])).toEqual([]);
    expect(await query("SELECT k FROM accounts WHERE d = ? AND k = ? AND n > ?", [0.75, 1, 1e15])).toEqual([{ k: 1 }]);
    expect(await query("EXPLAIN SELECT k FROM accounts WHERE n = ?", [5])).toMatchObject([{ key: "n" }]);
    expect(await query("SELECT ? AS one, ? AS two", [0.30000000000000004, 2])).toEqual([{ one: "0.30000000000000004", two: 2 }]);
  });

  test("a query and its params that do not fit are refused, not sent", async () => {
    expect(await failure(query("SELECT ? AS a", [1, 2]))).toBe("database: database: query has 1 placeholders, params has 2");
    expect(await failure(query("SELECT ? AS a, ? AS b", [1]))).toBe("database: database: query has 2 placeholders, params has 1");
    expect(await failure(query("SELECT ? AS a, ? AS b", [1], { order: [0, 1] }))).toBe(
      "database: database: query has a placeholder 2, params has 1",
    );
    expect(await query("SELECT ? AS a, ? AS b, ? AS c", ["x", "y"], { order: [1, 0, 0] })).toEqual([{ a: "y", b: "x", c: "x" }]);
  });

  test("several statements give the rows of the last one that returns any (spec/language 5.4.2)", async () => {
    const text = "CREATE TABLE several (a int); INSERT INTO several VALUES (1), (2); SELECT a FROM several; DELETE FROM several;";
    expect(await query(text)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await query("SELECT 1 AS a; SELECT 2 AS b WHERE false; SET @x = 1")).toEqual([]);
    expect(await query("INSERT INTO several VALUES (4); SELECT 1", undefined, { multi: true })).toEqual([]);
    expect(await query("SELECT a FROM several")).toEqual([{ a: 4 }]);
    expect(await failure(query("SELECT ?; SELECT 1", [1]))).toMatch(/^database: database: You have an error in your SQL syntax/);
    await query("CREATE PROCEDURE both_of() BEGIN SELECT 1 AS a; SELECT 2 AS b; END");
    expect(await query("CALL both_of()")).toEqual([{ b: 2 }]);
  });

  test("an error leaves the connection usable, and no transaction outlives its query", async () => {
    const { query } = open({ max_open_conns: 1 });
    const first = await query("SELECT CONNECTION_ID() AS id");
    expect(await failure(query("SELECT * FROM nope"))).toBe(`database: database: Table '${name}.nope' doesn't exist`);
    expect(await failure(query("SELECT ? + nope", [1]))).toMatch(/^database: database: Unknown column 'nope'/);
    expect(await query("SELECT CONNECTION_ID() AS id")).toEqual(first);
    await query("CREATE TABLE opened (a int) ENGINE = InnoDB");
    const left = "database: database: the query left a transaction open; it was rolled back";
    for (const text of ["BEGIN", "START TRANSACTION; INSERT INTO opened VALUES (1)", "SET autocommit = 0; INSERT INTO opened VALUES (2)"])
      expect(await failure(query(text))).toBe(left);
    await query("CREATE PROCEDURE opens() BEGIN START TRANSACTION; INSERT INTO opened VALUES (3); SELECT * FROM nope; END");
    expect(await failure(query("CALL opens()"))).toMatch(/nope/);
    expect(await failure(query("BEGIN; INSERT INTO opened VALUES (4); SELECT nope"))).toMatch(/nope/);
    expect(await query("SELECT * FROM opened")).toEqual([]);
    await query("BEGIN; INSERT INTO opened VALUES (5); COMMIT");
    expect(await administer("SELECT a FROM opened", name)).toEqual([{ a: 5 }]);
    const chosen = { session: true };
    const committed = "SET autocommit = 0; INSERT INTO opened VALUES (6); COMMIT; SELECT 1 AS n";
    expect(await query(committed, undefined, chosen)).toEqual([{ n: 1 }]);
    expect(await failure(query("SET autocommit = 0; INSERT INTO opened VALUES (7); SELECT 1", undefined, chosen))).toBe(left);
    await query("CREATE FUNCTION inserts() RETURNS INT BEGIN INSERT INTO opened VALUES (8); RETURN 1; END");
    expect(await failure(query("SET autocommit = 0; SELECT inserts()", undefined, chosen))).toBe(left);
    expect(await query("SELECT a, @@autocommit AS c FROM opened ORDER BY a")).toEqual([
      { a: 5, c: 1 },
      { a: 6, c: 1 },
    ]);
  });

  test("a prepared statement survives a change of the schema; there are not more than 256 on a connection", async () => {
    const { query } = open({ max_open_conns: 1 });
    await query("CREATE TABLE changing (a int); INSERT INTO changing VALUES (1)");
    const read = (): Promise<Json> => query("SELECT * FROM changing WHERE a = ?", [1]);
    expect(await read()).toEqual([{ a: 1 }]);
    await query("ALTER TABLE changing ADD COLUMN b int DEFAULT 2");
    expect(await read()).toEqual([{ a: 1, b: 2 }]);
    const count = async (): Promise<number> => Number((await administer("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'"))[0]?.Value);
    const before = await count();
    for (let i = 0; i < 300; i++) expect(await query(`SELECT ${i} + ? AS n`, [1])).toEqual([{ n: i + 1 }]);
    expect((await count()) - before).toBeLessThanOrEqual(256);
  });

  test("a query that takes too long ends here and on the server", async () => {
    const { query } = open({ max_open_conns: 1 });
    const slow = `SELECT SLEEP(30), '${name}' AS v`;
    expect(await failure(query(slow, undefined, { timeout: 50 }))).toBe("timeout: timed out after 50ms");
    expect(await failure(query(slow, undefined, { timeout: 300 }))).toBe("timeout: timed out after 300ms");
    await untilTrue(async () => (await processes(name)).length === 0);
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  test("a cancelled run ends its query; the wait for a connection counts as time of the query", async () => {
    const { query, act, source } = open({ max_open_conns: 1 });
    const slow = act();
    const first = failure(database(slow, source, { query: "SELECT SLEEP(30)" }));
    expect(await failure(query("SELECT 1", undefined, { timeout: 200 }))).toBe("timeout: timed out after 200ms");
    slow.run.cancel("gone");
    expect(await first).toBe("database: database: cancelled");
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  test("killed connections, idle and busy, do not end the process", async () => {
    const { query, logged } = open({ max_open_conns: 2 });
    const [{ id }] = (await query("SELECT CONNECTION_ID() AS id")) as [{ id: number }];
    await administer(`KILL ${id}`);
    await untilTrue(async () => logged.length > 0);
    expect(logged[0]).toMatch(/^warn database connection lost: /);
    const busy = failure(query(`SELECT SLEEP(30) /* killed ${name} */`));
    await untilTrue(async () => (await processes(`killed ${name} %`)).length > 0);
    await administer(`KILL ${(await processes(`killed ${name} %`))[0]?.ID}`);
    expect(await busy).toMatch(/^database: database: (?:Connection was killed|Connection lost|Query execution was interrupted)/);
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
  });

  test("a connection that breaks off in the middle does not end the process", async () => {
    const { hostname, port, username } = new URL(mysqlServer ?? "");
    const sockets: Socket[] = [];
    const proxy = createServer((near) => {
      const far = connect(Number(port || 3306), hostname);
      for (const socket of [near, far]) socket.on("error", () => undefined);
      near.pipe(far).pipe(near);
      sockets.push(near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { query } = open({}, `mysql://${username}@127.0.0.1:${(proxy.address() as AddressInfo).port}/${name}`);
    const busy = failure(query(`SELECT SLEEP(30) /* cut ${name} */`));
    await untilTrue(async () => (await processes(`cut ${name} %`)).length > 0);
    for (const socket of sockets) socket.resetAndDestroy();
    expect(await busy).toMatch(/^database: database: (?:read ECONNRESET|Connection lost: The server closed the connection\.)$/);
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
    proxy.close();
  });

  test("the server gets no file of this machine", async () => {
    await query("CREATE TABLE lines_of (a text)");
    expect(await failure(query("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE lines_of"))).toMatch(
      /^database: database: .*(?:local|LOCAL)/,
    );
    expect(await query("SELECT * FROM lines_of")).toEqual([]);
  });

  test("many queries at once share the pool", async () => {
    const { query } = open({ max_open_conns: 4 });
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => query("SELECT ? AS n", [i])));
    expect(all).toEqual(Array.from({ length: 100 }, (_, i) => [{ n: i }]));
    const [{ n }] = (await query(`SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE DB = '${name}'`)) as [{ n: number }];
    expect(n).toBeGreaterThan(0);
  });

  test("given in parts", async () => {
    const { username, hostname, port, password } = new URL(mysqlServer ?? "");
    const parts = { host: hostname, port: port || 3306, user: username, pass: password || null, dbname: name };
    const { query, source, act, host } = session(mysql, parts);
    expect(await query("SELECT DATABASE() AS v")).toEqual([{ v: name }]);
    await ping(source, act().run);
    await host.close();
  });
});

describe("mysql out of reach", () => {
  test("is an error without the connection string, and no end of the process", async () => {
    const { query, source, act } = open({}, "mysql://someone:s3cret@127.0.0.1:1/db");
    expect(await failure(query("SELECT 1"))).toBe("database: database: connect ECONNREFUSED 127.0.0.1:1");
    expect(await failure(ping(source, act().run))).toMatch(/ECONNREFUSED/);
    expect(await failure(open({}, "mysql://someone:s3cret@localhost:1/db").query("SELECT 1"))).toMatch(
      /^database: database: connect ECONNREFUSED/,
    );
    for (const broken of ["mysql://someone:s3cret@[oops/db", "postgres://someone:s3cret@a/db", "s3cret"])
      expect(await failure(open({}, broken).query("SELECT 1"))).not.toMatch(/s3cret|oops/);
    expect(await failure(open({}, "mysql://a:s3cret@h/db?useSSL=true").query("SELECT 1"))).toBe(
      "database: database: unknown parameter 'usessl' of the connection",
    );
    expect(await failure(open({}, "mysql://a:s3cret@h/db?ssl-mode=yes").query("SELECT 1"))).toMatch(/ssl-mode is DISABLED.* not 'yes'/);
    expect(await failure(open({}, "").query("SELECT 1"))).toBe("database: database: conn_string is not set");
  });
});
