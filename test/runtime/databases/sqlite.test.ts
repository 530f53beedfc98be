import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { sqlite } from "../../../runtime/features/actions/database/sqlite.ts";
import { ping } from "../../../runtime/features/actions/database.ts";
import { failure, type Session, session } from "../../harness/database-run.ts";

const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
const hosts: Session["host"][] = [];
let files = 0;

function open(
  settings: Parameters<typeof session>[1] = { conn_string: "sqlite::memory:" },
  more: Parameters<typeof session>[2] = {},
): Session {
  const opened = session(sqlite, settings, more);
  hosts.push(opened.host);
  return opened;
}

const fresh = (): string => {
  files += 1;
  return join(folder, `${files}.db`);
};

afterAll(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  rmSync(folder, { recursive: true });
});

describe("values (spec/language 5.4.2)", () => {
  test("columns keep their order; of two with the same name the last one counts", async () => {
    const { query } = open();
    expect(JSON.stringify(await query("SELECT 1 AS b, 2 AS a, 3 AS b"))).toBe('[{"b":3,"a":2}]');
    expect(JSON.stringify(await query('SELECT 1 AS "__proto__", 2 AS constructor'))).toBe('[{"__proto__":1,"constructor":2}]');
  });

  test("integers are numbers while they are safe, reals are numbers, blobs are Base64", async () => {
    const { query } = open();
    const row = await query(
      "SELECT 1 AS i, 9007199254740991 AS safe, 9007199254740993 AS big, 0.5 AS r, 9e999 AS inf, x'00ff' AS b, NULL AS n, 1=1 AS t",
    );
    expect(row).toEqual([{ i: 1, safe: 9007199254740991, big: "9007199254740993", r: 0.5, inf: "Infinity", b: "AP8=", n: null, t: 1 }]);
  });

  test("parameters keep their types; objects and arrays are compact JSON text", async () => {
    const { query } = open();
    const types = "SELECT typeof(?1) AS a, typeof(?2) AS b, typeof(?3) AS c, typeof(?4) AS d, typeof(?5) AS e, ?6 AS f, ?7 AS g";
    expect(await query(types, [5, 0.5, "5", true, null, { k: [1] }, ["é"]])).toEqual([
      { a: "integer", b: "real", c: "text", d: "integer", e: "null", f: '{"k":[1]}', g: '["é"]' },
    ]);
    expect(await query("SELECT ?2 AS a, ?1 AS b, ?1 AS c", [1, 2])).toEqual([{ a: 2, b: 1, c: 1 }]);
    expect(await query("SELECT ?1 AS big", [1e18])).toEqual([{ big: "1000000000000000000" }]);
  });
});

describe("statements", () => {
  test("a statement without rows gives an empty list", async () => {
    const { query } = open();
    expect(await query("CREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT);\n")).toEqual([]);
    expect(await query("INSERT INTO p (n) VALUES (?1)", ["x"])).toEqual([]);
    expect(await query("INSERT INTO p (n) VALUES (?1) RETURNING id, n", ["y"])).toEqual([{ id: 2, n: "y" }]);
    expect(await query("  -- nothing\n;")).toEqual([]);
  });

  test("several statements give the rows of the last one that returns any (spec/language 5.4.2)", async () => {
    const { query } = open();
    expect(await query("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2); SELECT a FROM t; DELETE FROM t; -- the end")).toEqual([
      { a: 1 },
      { a: 2 },
    ]);
    expect(await query("SELECT 1 AS a; SELECT 2 AS b WHERE 0")).toEqual([]);
    const trigger = "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 1; DELETE FROM t WHERE a = 2; END; SELECT ';' AS s";
    expect(await query(trigger)).toEqual([{ s: ";" }]);
    expect(await query("SELECT 1 AS a; SELECT 2 AS b", undefined, { multi: true })).toEqual([]);
  });

  test("with params there is one statement", async () => {
    const { query } = open();
    await query("CREATE TABLE t (a)");
    expect(await failure(query("INSERT INTO t VALUES (?1); DELETE FROM t", [1]))).toBe(
      "database: database: a query with params holds one statement",
    );
    expect(await query("SELECT count(*) AS n FROM t")).toEqual([{ n: 0 }]);
  });

  test("an open transaction is rolled back: the connection is shared", async () => {
    const { query } = open();
    await query("CREATE TABLE t (a)");
    const open_ = "the query left a transaction open; it was rolled back";
    expect(await failure(query("BEGIN; INSERT INTO t VALUES (1)"))).toBe(`database: database: ${open_}`);
    expect(await failure(query("BEGIN"))).toBe(`database: database: ${open_}`);
    expect(await failure(query("BEGIN; INSERT INTO t VALUES (1); SELECT nope"))).toMatch(/no such column: nope/);
    expect(await query("BEGIN; INSERT INTO t VALUES (2); COMMIT; SELECT a FROM t")).toEqual([{ a: 2 }]);
  });

  test("errors carry the text of SQLite", async () => {
    const { query } = open();
    expect(await failure(query("SELECT * FROM nope"))).toBe("database: database: no such table: nope");
    expect(await failure(query("SELECT ?1", [1, 2]))).toMatch(/^database: database: /);
  });
});

describe("files (spec/language 5.4.1)", () => {
  test("a missing file is created, a missing folder is an error", async () => {
    const file = fresh();
    const { query } = open({ conn_string: ` sqlite://${file} ` });
    await query("CREATE TABLE t (a)");
    expect(await query("PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }]);
    expect(await query("PRAGMA foreign_keys")).toEqual([{ foreign_keys: 1 }]);
    expect(await query("PRAGMA synchronous")).toEqual([{ synchronous: 1 }]);
    expect(await failure(open({ conn_string: `sqlite:${folder}/none/x.db` }).query("SELECT 1"))).toBe(
      "database: database: unable to open database file",
    );
  });

  test("mode=ro only reads, mode=rw does not create", async () => {
    const file = fresh();
    const { query } = open({ conn_string: `sqlite:${file}` });
    await query("CREATE TABLE t (a); INSERT INTO t VALUES (7)");
    const reader = open({ conn_string: `sqlite://${file}?mode=ro` });
    expect(await reader.query("SELECT a FROM t")).toEqual([{ a: 7 }]);
    expect(await failure(reader.query("DELETE FROM t"))).toBe("database: database: attempt to write a readonly database");
    expect(await failure(open({ conn_string: `sqlite:${fresh()}?mode=rw` }).query("SELECT 1"))).toMatch(/unable to open/);
    expect(await failure(open({ conn_string: `sqlite:${fresh()}?mode=ro` }).query("SELECT 1"))).toMatch(/unable to open/);
  });

  test("all configs share the connection of a file; each has its own memory", async () => {
    const file = fresh();
    const { host, query } = open({ conn_string: `sqlite:${file}` });
    const other = open({ conn_string: `sqlite://${folder}/../${file.slice(tmpdir().length)}`, timeout: "1s" }, { host, config: "other" });
    await query("CREATE TEMP TABLE mine (a)");
    // A temporary table belongs to one connection.
    expect(await other.query("SELECT a FROM mine")).toEqual([]);
    const one = open({ conn_string: "sqlite::memory:" }, { host, config: "one" });
    const same = open({ conn_string: "sqlite://:memory:" }, { host, config: "one" });
    const two = open({ conn_string: "sqlite::memory:" }, { host, config: "two" });
    await one.query("CREATE TABLE t (a)");
    expect(await same.query("SELECT a FROM t")).toEqual([]);
    expect(await failure(two.query("SELECT a FROM t"))).toMatch(/no such table/);
  });

  test("what is no database, or not described, is an error", async () => {
    const file = fresh();
    writeFileSync(file, "hello ".repeat(1000));
    expect(await failure(open({ conn_string: `sqlite:${file}` }).query("SELECT 1"))).toBe("database: database: file is not a database");
    expect(await failure(open({ conn_string: null }).query("SELECT 1"))).toBe("database: database: conn_string is not set");
    expect(await failure(open({ conn_string: "sqlite::memory:", synchronous: "OFF; DROP TABLE t" }).query("SELECT 1"))).toMatch(
      /synchronous is OFF/,
    );
    expect(await failure(ping(open({ conn_string: null }).source, open().act().run))).toBe("database: database: conn_string is not set");
    await ping(open().source, open().act().run);
  });

  test("a change of the schema by another process is seen", async () => {
    const file = fresh();
    const { query } = open({ conn_string: `sqlite:${file}` });
    await query("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    expect(await query("SELECT * FROM t")).toEqual([{ a: 1 }]);
    const other = new DatabaseSync(file);
    other.exec("ALTER TABLE t ADD COLUMN b DEFAULT 2; ALTER TABLE t RENAME COLUMN a TO z");
    expect(await query("SELECT * FROM t")).toEqual([{ z: 1, b: 2 }]);
    other.exec("DROP TABLE t; CREATE TABLE t (c); INSERT INTO t VALUES (3)");
    other.close();
    expect(await query("SELECT * FROM t")).toEqual([{ c: 3 }]);
  });

  test("more statements than are kept", async () => {
    const { query } = open();
    for (let i = 0; i < 600; i++) expect(await query(`SELECT ${i} AS n`)).toEqual([{ n: i }]);
    expect(await query("SELECT 0 AS n")).toEqual([{ n: 0 }]);
  });
});
