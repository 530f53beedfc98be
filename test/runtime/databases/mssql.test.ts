import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mssql } from "../../../runtime/features/actions/database/mssql.ts";
import { mssqlOptions } from "../../../runtime/features/actions/database/mssql-options.ts";
import { readSettings } from "../../../runtime/features/actions/database/settings.ts";
import { database, ping } from "../../../runtime/features/actions/database.ts";
import type { Json, JsonObject } from "../../../runtime/value/json.ts";
import { failure, type Session, session } from "../../harness/database-run.ts";
import { type Answer, type TdsPeer, tdsPeer, u16, u32, type Wire } from "../../harness/peers/tds-peer.ts";
import { until } from "../../harness/until.ts";

// There is no SQL Server to be had: these tests talk to a peer that speaks its protocol, and check what goes out and what is made of what
// comes in.

const collation = Buffer.from([9, 4, 0xd0, 0, 0x34]);
const text = (name: string, value: string | null): Wire => ({
  name,
  info: Buffer.concat([Buffer.from([0xe7]), u16(8000), collation]),
  value: value === null ? u16(0xffff) : Buffer.concat([u16(2 * value.length), Buffer.from(value, "utf16le")]),
});
const sized = (type: number, bytes: Buffer, ...more: readonly number[]): Wire => ({
  name: "v",
  info: Buffer.from([type, ...(more.length > 0 ? more : [bytes.length || 8])]),
  value: Buffer.concat([Buffer.from([bytes.length]), bytes]),
});
const bytesOf = (length: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(length);
  write(bytes);
  return bytes;
};
const int = (value: number): Wire =>
  sized(
    0x26,
    bytesOf(4, (bytes) => bytes.writeInt32LE(value)),
  );
const big = (value: bigint): Wire =>
  sized(
    0x26,
    bytesOf(8, (bytes) => bytes.writeBigInt64LE(value)),
  );
const bit = (value: boolean): Wire => sized(0x68, Buffer.from([Number(value)]));
const double = (value: number): Wire =>
  sized(
    0x6d,
    bytesOf(8, (bytes) => bytes.writeDoubleLE(value)),
  );
const real = (value: number): Wire =>
  sized(
    0x6d,
    bytesOf(4, (bytes) => bytes.writeFloatLE(value)),
  );
/** A decimal: precision and scale, sign, digits as a whole number of 64 or 128 bits. */
const decimal = (digits: bigint, precision: number, scale: number): Wire => {
  const length = precision > 19 ? 17 : 9;
  const magnitude = digits < 0n ? -digits : digits;
  const bytes = bytesOf(length, (target) => {
    target.writeUInt8(digits < 0n ? 0 : 1, 0);
    target.writeBigUInt64LE(magnitude & 0xffff_ffff_ffff_ffffn, 1);
    if (length === 17) target.writeBigUInt64LE(magnitude >> 64n, 9);
  });
  return { name: "v", info: Buffer.from([0x6c, length, precision, scale]), value: Buffer.concat([Buffer.from([length]), bytes]) };
};
const money = (units: bigint): Wire =>
  sized(
    0x6e,
    bytesOf(8, (bytes) => {
      bytes.writeInt32LE(Number(units >> 32n), 0);
      bytes.writeUInt32LE(Number(units & 0xffff_ffffn), 4);
    }),
  );
const guid = sized(0x24, Buffer.from("a1b2c3d4e5f60718293a4b5c6d7e8f90", "hex"), 16);
const binary: Wire = {
  name: "v",
  info: Buffer.concat([Buffer.from([0xa5]), u16(10)]),
  value: Buffer.concat([u16(2), Buffer.from([0, 255])]),
};
const days = (date: string): Buffer =>
  bytesOf(3, (bytes) => bytes.writeUIntLE((Date.parse(date) - Date.parse("0001-01-01")) / 86_400_000, 0, 3));
const date: Wire = { name: "v", info: Buffer.from([0x28]), value: Buffer.concat([Buffer.from([3]), days("2024-02-29")]) };
/** A time of day with seven digits of a second. */
const ticks = (units: number): Buffer => bytesOf(5, (bytes) => bytes.writeUIntLE(units, 0, 5));
const noon = 12 * 3600 * 1e7;
const time = (units: number): Wire => ({ name: "v", info: Buffer.from([0x29, 7]), value: Buffer.concat([Buffer.from([5]), ticks(units)]) });
const datetime2 = (units: number): Wire => ({
  name: "v",
  info: Buffer.from([0x2a, 7]),
  value: Buffer.concat([Buffer.from([8]), ticks(units), days("2024-02-29")]),
});
const offset: Wire = {
  name: "v",
  info: Buffer.from([0x2b, 7]),
  value: Buffer.concat([Buffer.from([10]), ticks(noon), days("2024-02-29"), u16(120)]),
};
const long: Wire = {
  name: "v",
  info: Buffer.concat([Buffer.from([0xe7]), u16(0xffff), collation]),
  value: Buffer.concat([u32(20_000), u32(0), u32(20_000), Buffer.from("x".repeat(10_000), "utf16le"), u32(0)]),
};

const types: readonly (readonly [what: string, wire: Wire, expected: Json])[] = [
  ["int", int(-5), -5],
  ["bigint", big(9007199254740991n), 9007199254740991],
  ["bigint beyond a double", big(-9007199254740993n), "-9007199254740993"],
  ["bit", bit(true), true],
  ["float", double(1e300), 1e300],
  ["real", real(0.1), 0.1],
  ["decimal(10,2)", decimal(1250n, 10, 2), 12.5],
  ["decimal(19,4), 16 digits", decimal(-1234567890123456n, 19, 4), "-123456789012.3456"],
  ["decimal(38,18)", decimal(1_500_000_000_000_000_000n, 38, 18), 1.5],
  ["decimal(38,0) beyond a double", decimal(12345678901234567890n, 38, 0), "12345678901234567000"],
  ["money", money(19_9500n), 19.95],
  ["nvarchar", text("v", "tüx 𝕏 'quoted'"), "tüx 𝕏 'quoted'"],
  ["nvarchar(max)", long, "x".repeat(10_000)],
  ["null", text("v", null), null],
  ["int that is null", sized(0x26, Buffer.alloc(0), 4), null],
  ["varbinary", binary, "AP8="],
  ["uniqueidentifier", guid, "d4c3b2a1-f6e5-1807-293a-4b5c6d7e8f90"],
  ["date", date, "2024-02-29"],
  ["time", time(noon + 2_500_000), "12:00:00.25"],
  ["time with seven digits", time(noon + 1_234_567), "12:00:00.1234567"],
  ["time without a fraction", time(noon), "12:00:00"],
  ["datetime2", datetime2(noon + 5_000_000), "2024-02-29T12:00:00.500Z"],
  ["datetime2 without a fraction", datetime2(noon), "2024-02-29T12:00:00Z"],
  ["datetimeoffset", offset, "2024-02-29T12:00:00Z"],
];

describe("mssql, against a peer that speaks its protocol", () => {
  let peer: TdsPeer;
  let answers: readonly Answer[] = [];
  const hosts: Session["host"][] = [];
  const open = (more: JsonObject = {}): Session => {
    const opened = session(mssql, { conn_string: `mssql://app:p%40ss@127.0.0.1:${peer.port}/shop?encrypt=false`, ...more });
    hosts.push(opened.host);
    return opened;
  };
  beforeAll(async () => {
    peer = await tdsPeer(() => answers);
  });
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await peer.close();
  });
  beforeEach(() => {
    peer.seen.length = 0;
    answers = [{ columns: [int(1)] }];
  });

  test("logs in, and asks for the settings that literals are read by", async () => {
    expect(await open().query("SELECT 1 AS v")).toEqual([{ v: 1 }]);
    expect(peer.logins.at(-1)).toEqual({ user: "app", password: "p@ss", database: "shop" });
    expect(peer.sessions.at(-1)).toMatch(/set quoted_identifier on[\s\S]*set xact_abort on/);
    expect(peer.seen).toEqual([{ sql: "SELECT 1 AS v" }]);
  });

  test.each(types)("%s", async (_, wire, expected) => {
    answers = [{ columns: [wire] }];
    expect(await open().query("SELECT v", [1])).toEqual([{ v: expected }]);
  });

  test("parameters go out typed, beside the text", async () => {
    const values = ["it's", 5, 3_000_000_000, 0.5, true, null, { k: ["é"] }, "x".repeat(5000)];
    await open().query("SELECT @p1, @p2", values);
    const [asked] = peer.seen;
    expect(asked?.sql).toBe("SELECT @p1, @p2");
    expect(asked?.declared).toMatch(
      /^@p1 nvarchar\(\d+\), ?@p2 int, ?@p3 bigint, ?@p4 float, ?@p5 bit, ?@p6 nvarchar\(.*\), ?@p7 nvarchar\(.*\), ?@p8 nvarchar\(max\)$/,
    );
    expect(asked?.values).toEqual(["it's", 5, 3_000_000_000n, 0.5, true, null, '{"k":["é"]}', "x".repeat(5000)]);
  });

  test("columns keep their order; the rows are those of the last statement that returns any; a statement without rows gives none", async () => {
    answers = [{ columns: [text("b", "1"), text("a", "2"), text("b", "3"), text("__proto__", "4")], rows: 2 }];
    expect(JSON.stringify(await open().query("SELECT"))).toBe(
      JSON.stringify(Array(2).fill(JSON.parse('{"b":"3","a":"2","__proto__":"4"}'))),
    );
    answers = [{ columns: [int(1)] }, { columns: [int(2)], rows: 3 }, { columns: [] }];
    expect(await open().query("SELECT; SELECT; DELETE")).toEqual([{ v: 2 }, { v: 2 }, { v: 2 }]);
    answers = [{ columns: [] }];
    expect(await open().query("INSERT", [1])).toEqual([]);
    answers = [{ columns: [int(1)] }];
    expect(await open().query("INSERT; SELECT", undefined, { multi: true })).toEqual([]);
  });

  test("a query that may change its session has it made as new before the next one", async () => {
    const { query } = open({ max_open_conns: 1 });
    const [logins, resets, sessions] = [peer.logins.length, peer.resets, peer.sessions.length];
    expect(await query("SET LANGUAGE German", undefined, { session: true })).toEqual([{ v: 1 }]);
    expect(await query("SELECT 1")).toEqual([{ v: 1 }]);
    expect([peer.logins.length - logins, peer.resets - resets, peer.sessions.length - sessions]).toEqual([1, 1, 2]);
    expect(peer.sessions.at(-1)).toMatch(/set quoted_identifier on/);
    expect(peer.seen.map(({ sql }) => sql)).toEqual(["SET LANGUAGE German", "SELECT 1"]);
    answers = [{ error: "Bad language.", number: 2741, severity: 16 }];
    expect(await failure(query("SET LANGUAGE x", undefined, { session: true }))).toBe("database: database: Bad language.");
    answers = [{ columns: [int(1)] }];
    expect(await query("SELECT 1")).toEqual([{ v: 1 }]);
    expect(peer.logins.length - logins).toBe(2);
  });

  test("an error keeps the connection, unless it ends the session or leaves a transaction", async () => {
    const { query } = open({ max_open_conns: 1 });
    const logins = peer.logins.length;
    answers = [{ error: "Invalid object name 'nope'.", number: 208, severity: 16 }];
    expect(await failure(query("SELECT * FROM nope"))).toBe("database: database: Invalid object name 'nope'.");
    expect(await failure(query("SELECT * FROM nope WHERE a = @p1", [1]))).toBe("database: database: Invalid object name 'nope'.");
    expect(peer.logins.length).toBe(logins + 1);
    answers = [{ error: "The session is over.", number: 1, severity: 20 }];
    expect(await failure(query("SELECT 1"))).toBe("database: database: The session is over.");
    answers = [{ begins: true }];
    expect(await failure(query("BEGIN TRAN"))).toBe("database: database: the query left a transaction open; it was rolled back");
    answers = [{ columns: [int(1)] }];
    expect(await query("SELECT 1")).toEqual([{ v: 1 }]);
    expect(peer.logins.length).toBe(logins + 3);
  });

  test("time runs out, or the run is cancelled: the server is told", async () => {
    const { query, act, source } = open();
    answers = [{ never: true }];
    const before = peer.attentions;
    expect(await failure(query("WAITFOR DELAY '1:00'", undefined, { timeout: 200 }))).toBe("timeout: timed out after 200ms");
    const slow = act();
    const waiting = failure(database(slow, source, { query: "WAITFOR DELAY '1:00'" }));
    setTimeout(() => slow.run.cancel("gone"), 300);
    expect(await waiting).toBe("database: database: cancelled");
    await until(() => expect(peer.attentions).toBe(before + 2));
    answers = [{ columns: [int(1)] }];
    expect(await query("SELECT 1")).toEqual([{ v: 1 }]);
  });

  test("connections that break, idle and busy, do not end the process", async () => {
    const { query } = open();
    await query("SELECT 1");
    peer.cut();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await query("SELECT 1")).toEqual([{ v: 1 }]);
    answers = [{ never: true }];
    const busy = failure(query("SELECT 1"));
    setTimeout(() => peer.cut(), 100);
    expect(await busy).toMatch(/^database: database: (?:Connection lost|.*ECONNRESET)/);
    answers = [{ columns: [int(1)] }];
    expect(await query("SELECT 1")).toEqual([{ v: 1 }]);
  });

  test("many queries at once share the pool", async () => {
    const logins = peer.logins.length;
    const { query, source, act } = open({ max_open_conns: 3 });
    expect(await Promise.all(Array.from({ length: 30 }, () => query("SELECT 1")))).toHaveLength(30);
    expect(peer.logins.length).toBeLessThanOrEqual(logins + 3);
    await ping(source, act().run);
  });

  test("out of reach, or without the encryption that is asked for by default: an error without the connection string", async () => {
    expect(await failure(open({ conn_string: "mssql://sa:s3cret@127.0.0.1:1/db" }).query("SELECT 1"))).toMatch(
      /^database: database: .*ECONNREFUSED 127\.0\.0\.1:1/,
    );
    expect(await failure(open({ conn_string: `mssql://sa:s3cret@127.0.0.1:${peer.port}/db` }).query("SELECT 1"))).toMatch(
      /^database: database: Server did not negotiate encryption/,
    );
    for (const broken of ["mssql://sa:s3cret@[oops/db", "postgres://sa:s3cret@host/db", "s3cret", "Server=h;Password=s3cret;Encrypt=maybe"])
      expect(await failure(open({ conn_string: broken }).query("SELECT 1"))).not.toContain("s3cret");
    expect(await failure(open({ conn_string: "" }).query("SELECT 1"))).toBe("database: database: conn_string is not set");
  });
});

describe("addresses of SQL Server", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "a URL",
      { conn_string: "mssql://sa:p%40ss@db:1444/shop" },
      { server: "db", port: 1444, database: "shop", encrypt: true, trust: false, user: "sa", pass: "p@ss" },
    ],
    [
      "a URL with options",
      { conn_string: "sqlserver://sa:x@db/shop?encrypt=false&trustServerCertificate=true" },
      { server: "db", port: 1433, database: "shop", encrypt: false, trust: true, user: "sa", pass: "x" },
    ],
    [
      "pairs",
      { conn_string: "Server=tcp:db.example,1444;Initial Catalog=shop;User ID=sa;Password='a;b''c';Encrypt=strict" },
      { server: "db.example", port: 1444, database: "shop", encrypt: "strict", trust: false, user: "sa", pass: "a;b'c" },
    ],
    [
      "pairs with an instance",
      { conn_string: "Data Source=(local)\\SQLEXPRESS;Database=shop;UID=sa;PWD=x;TrustServerCertificate=Yes;Encrypt=Optional" },
      { server: "localhost", instance: "SQLEXPRESS", database: "shop", encrypt: false, trust: true, user: "sa", pass: "x" },
    ],
    [
      "parts",
      { host: "db", user: "sa", pass: "x", dbname: "shop", params: { encrypt: "false" } },
      { server: "db", port: 1433, database: "shop", encrypt: false, trust: false, user: "sa", pass: "x" },
    ],
  ])("%s", (_, given, expected) => {
    const { server, options, authentication } = mssqlOptions(readSettings(given));
    expect({
      server,
      ...(options?.port === undefined ? {} : { port: options.port }),
      ...(options?.instanceName === undefined ? {} : { instance: options.instanceName }),
      ...{ database: options?.database, encrypt: options?.encrypt, trust: options?.trustServerCertificate },
      ...{ user: authentication?.options.userName, pass: authentication?.options.password },
    }).toEqual(expected);
  });
});
