import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "../../../runtime/process/host.ts";
import { LocalStore } from "../../../runtime/state/local.ts";
import { MemoryRows } from "../../../runtime/state/memory.ts";
import { stateAnswers, stateOf } from "../../../runtime/state/open.ts";
import type { StateStore } from "../../../runtime/state/store.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { failure } from "../../harness/database-run.ts";
import { until } from "../../harness/until.ts";
import { backends } from "./state-stores.ts";

// Each operation means the same on every backend (spec/surfaces 12).

const all = await backends();
const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});
afterAll(async () => {
  for (const backend of all) await backend.close();
});

let names = 0;
const fresh = (): { readonly namespace: string; readonly key: string } => ({ namespace: "test", key: `key ${++names}` });
const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

describe.each(all)("$name", ({ process, rows }) => {
  const open = (): StateStore => {
    const host = process();
    hosts.push(host);
    return stateOf(host);
  };

  test("versions count writes, and start again after a delete", async () => {
    const store = open();
    const place = fresh();
    expect(await store.get(place)).toBeUndefined();
    expect(await store.set(place, { b: [1, "é", null], a: true }, {})).toBe(1);
    expect(await store.set(place, null, {})).toBe(2);
    expect(await store.get(place)).toEqual({ value: null, version: 2 });
    expect(await store.get({ ...place, namespace: "other" })).toBeUndefined();
    expect([await store.delete(place), await store.delete(place)]).toEqual([true, false]);
    expect(await store.set(place, 1, {})).toBe(1);
  });

  test.each<[Json]>([[{ b: { c: [] }, a: 1.5 }], ["\"'\\ \u2028 \u{1F600}"], [0], [-1e-7], [1e300], [false], [[]], [""]])(
    "keeps %j",
    async (value) => {
      const store = open();
      const place = fresh();
      await store.set(place, value, {});
      expect(await store.get(place)).toEqual({ value, version: 1 });
    },
  );

  test("an expected version is that of the last write; 0 is none", async () => {
    const store = open();
    const place = fresh();
    expect(await store.set(place, 1, { expected: 1 })).toBeUndefined();
    expect(await store.set(place, 1, { expected: 0 })).toBe(1);
    expect(await store.set(place, 2, { expected: 0 })).toBeUndefined();
    expect(await store.set(place, 2, { expected: 1 })).toBe(2);
    expect(await store.set(place, 3, { expected: 1 })).toBeUndefined();
    expect(await store.get(place)).toEqual({ value: 2, version: 2 });
  });

  test("what has expired does not exist", async () => {
    const store = open();
    const place = fresh();
    const kept = fresh();
    await store.set(place, 1, {});
    await store.set(place, 1, { ttl: 600_000 });
    expect(await store.get(place)).toEqual({ value: 1, version: 2 });
    await store.set(kept, 1, { ttl: 600 });
    // Without ttl the one that was set is gone.
    await store.set(kept, 2, {});
    await store.set(place, 1, { ttl: 600 });
    await until(async () => expect(await store.get(place)).toBeUndefined());
    expect(await store.delete(place)).toBe(false);
    expect(await store.get(kept)).toMatchObject({ value: 2 });
    await store.set(place, 1, { ttl: 1 });
    await wait(20);
    expect(await store.set(place, 1, { expected: 1 })).toBeUndefined();
    expect(await store.set(place, 5, { expected: 0, ttl: 20 })).toBe(1);
    await wait(50);
    expect(await store.advance(place, 3, undefined)).toEqual({ value: 3, version: 1 });
  });

  test.each<[Json, Json, boolean]>([
    [9, 10, true],
    ["9", 10, true],
    ["9", "10.0", true],
    ["10", "1e1", false],
    ["9007199254740993", "9007199254740994", true],
    ["0.1", "0.10000000000000000001", true],
    [-2, -1, true],
    [-1, -2, false],
    ["2025-12-31T00:00:00Z", "2026-01-02T00:00:00Z", true],
    ["b", "a", false],
    ["a", "a", false],
    // U+FF61 comes before U+1F600, though not in UTF-16; a capital letter comes before a small one.
    ["｡", "\u{1F600}", true],
    ["a", "B", false],
    // Leading zeros make no JSON number.
    ["9", "010", false],
    [9, "x", true],
    ["1e999", "2e999", true],
    [null, "a", true],
    [true, "u", true],
  ])("advance from %j to %j: %s", async (from, to, moves) => {
    const store = open();
    const place = fresh();
    expect(await store.advance(place, from, undefined)).toEqual({ value: from, version: 1 });
    const expected = moves ? { value: to, version: 2 } : { value: from, version: 1 };
    expect(await store.advance(place, to, undefined)).toEqual(expected);
    expect(await store.get(place)).toEqual(expected);
  });

  test("a set of identities that expire is bounded", async () => {
    const store = open();
    const set = fresh();
    const long = 600_000;
    const seen = (ids: readonly string[], ttl?: number): Promise<boolean[]> => store.seen(set, ids, { cap: 3, most: 4, ttl });
    expect(await seen(["a", "b", "c"], long)).toEqual([true, true, true]);
    expect(await failure(seen(["d", "e"], long))).toBe(`state: set '${set.key}' would hold more than 4 ids`);
    // Ids without a time do not count, and those that were refused were not remembered.
    expect(await seen(["x", "d"])).toEqual([true, true]);
    expect(await seen(["e"], long)).toEqual([true]);
    expect(await failure(seen(["f"], long))).toBe(`state: set '${set.key}' would hold more than 4 ids`);
    const other = fresh();
    const soon = (ids: readonly string[], ttl: number): Promise<boolean[]> => store.seen(other, ids, { cap: 3, most: 4, ttl });
    expect(await soon(["a", "b", "c", "e"], 1)).toEqual([true, true, true, true]);
    await wait(50);
    expect(await soon(["f", "g", "h", "a"], long)).toEqual([true, true, true, true]);
  });

  test("an identity is new once, and the oldest make room", async () => {
    const store = open();
    const set = fresh();
    const seen = (ids: readonly string[], ttl?: number): Promise<boolean[]> => store.seen(set, ids, { cap: 3, ttl });
    expect(await seen(["c", "b", "c"])).toEqual([true, true, false]);
    expect(await seen(["a", "b"])).toEqual([true, false]);
    // c was first; to be seen again does not make b younger.
    expect(await seen(["d", "e"])).toEqual([true, true]);
    expect(await seen(["e", "d", "a"])).toEqual([false, false, false]);
    expect(await seen(["c"])).toEqual([true]);
    expect(await seen(["a"])).toEqual([true]);
    expect(await seen(["p", "q", "r", "s", "t"], 600_000)).toEqual([true, true, true, true, true]);
    expect(await seen(["t", "e"])).toEqual([false, false]);
    expect(await seen(["u", "v"], 1)).toEqual([true, true]);
    await wait(50);
    expect(await seen(["u", "e"])).toEqual([true, false]);
    expect(await seen([])).toEqual([]);
  });

  test("a page larger than the cap leaves its end", async () => {
    const store = open();
    const set = fresh();
    expect(await store.seen(set, numbers(6000), { cap: 5000 })).toEqual(numbers(6000).map(() => true));
    expect(await store.seen(set, ["1000", "5999"], { cap: 5000 })).toEqual([false, false]);
    expect(await store.seen(set, ["999"], { cap: 5000 })).toEqual([true]);
  });

  test("callers at the same time lose nothing", async () => {
    const store = open();
    const [counter, cursor, set] = [fresh(), fresh(), fresh()];
    const versions = await Promise.all(numbers(50).map((i) => store.set(counter, i, {})));
    expect(new Set(versions).size).toBe(50);
    expect(await store.get(counter)).toMatchObject({ version: 50 });
    await Promise.all(numbers(50).map((i) => store.advance(cursor, Number(i), undefined)));
    expect(await store.get(cursor)).toMatchObject({ value: 49 });
    const answers = await Promise.all(numbers(40).map((i) => store.seen(set, ["x", String(Number(i) % 5), "y"], { cap: 5000 })));
    expect(answers.flat().filter(Boolean)).toHaveLength(7);
    const winners = await Promise.all(numbers(30).map(() => store.set(fresh(), 1, { expected: 0 })));
    expect(winners).toEqual(numbers(30).map(() => 1));
    const place = fresh();
    const first = await Promise.all(numbers(30).map(() => store.set(place, 1, { expected: 0 })));
    expect(first.filter((version) => version === 1)).toHaveLength(1);
  });

  test("increments by comparing versions lose none", async () => {
    const store = open();
    const place = fresh();
    const increment = async (): Promise<void> => {
      for (;;) {
        const { value = 0, version = 0 } = (await store.get(place)) ?? {};
        if ((await store.set(place, Number(value) + 1, { expected: version })) !== undefined) return;
      }
    };
    await Promise.all(numbers(20).map(increment));
    expect(await store.get(place)).toEqual({ value: 20, version: 20 });
  });

  test("a value is at most 1 MiB of JSON", async () => {
    const store = open();
    const place = fresh();
    const longest = "x".repeat(1_048_574);
    expect(await store.set(place, longest, {})).toBe(1);
    expect(await failure(store.set(place, `${longest}x`, {}))).toBe("state: state value is longer than 1048576 bytes");
    expect(await store.get(place)).toEqual({ value: longest, version: 1 });
  });

  test.runIf(rows !== undefined)("what has expired is swept now and then", async () => {
    const store = open();
    const set = fresh();
    const before = Number(await rows?.());
    await store.seen(set, numbers(300), { ttl: 1, cap: 1 });
    for (const key of numbers(300)) await store.set({ ...set, key }, 1, { ttl: 1 });
    expect(Number(await rows?.()) - before).toBeLessThan(200);
  });

  test.runIf(rows !== undefined)("processes share what is stored, and find it again", async () => {
    const [a, b] = [open(), open()];
    const [place, set] = [fresh(), fresh()];
    expect(await Promise.all([a, b].map((store) => store.set(place, 1, { expected: 0 })))).toEqual(expect.arrayContaining([1, undefined]));
    const answers = await Promise.all(numbers(20).map((i) => (Number(i) % 2 ? a : b).seen(set, ["x"], { cap: 10 })));
    expect(answers.flat().filter(Boolean)).toHaveLength(1);
    for (const host of hosts.splice(0)) await host.close();
    expect(await open().get(place)).toEqual({ value: 1, version: 1 });
  });
});

const process = all[0]?.process;
if (process === undefined) throw new Error("memory is always there");

test("memory is swept as well", async () => {
  const rows = new MemoryRows(1_000);
  const store = new LocalStore(rows, Date.now);
  const place = fresh();
  await store.set(place, 1, { ttl: 1 });
  await store.seen(place, ["a"], { ttl: 1, cap: 1 });
  await wait(5);
  rows.sweep(Date.now());
  expect([rows.read(place), rows.remembered(place, "a")]).toEqual([undefined, undefined]);
});

describe("the state in memory is bounded in bytes", () => {
  const bounded = (bytes: number, now: () => number = () => 0): LocalStore => new LocalStore(new MemoryRows(bytes), now);
  const at = (key: string): { readonly namespace: string; readonly key: string } => ({ namespace: "ns", key });

  test("names and texts count, and what is refused changes nothing", async () => {
    const store = bounded(20);
    // 2 + 1 of the name, 7 of the text.
    expect(await store.set(at("a"), "12345", {})).toBe(1);
    expect(await store.set(at("b"), "12345", {})).toBe(1);
    expect(await failure(store.set(at("c"), 1, {}))).toBe("state: state is full");
    expect(await failure(store.set(at("a"), "123456", {}))).toBe("state: state is full");
    expect(await failure(store.advance(at("a"), "223456", undefined))).toBe("state: state is full");
    expect(await failure(store.set(at("a"), "é1234", {}))).toBe("state: state is full");
    expect(await store.get(at("a"))).toEqual({ value: "12345", version: 1 });
  });

  test("overwriting counts the difference, and deleting frees", async () => {
    const store = bounded(20);
    await store.set(at("a"), "12345", {});
    await store.set(at("b"), "12345", {});
    expect(await store.set(at("a"), "54321", { expected: 1 })).toBe(2);
    expect(await store.set(at("a"), "123", {})).toBe(3);
    expect(await store.set(at("b"), "1234567", {})).toBe(2);
    expect(await store.delete(at("a"))).toBe(true);
    expect(await store.set(at("c"), "123", {})).toBe(1);
    expect(await failure(store.set(at("c"), "1234", {}))).toBe("state: state is full");
  });

  test("what has expired makes room at once", async () => {
    let time = 0;
    const store = bounded(20, () => time);
    await store.set(at("a"), "12345", { ttl: 10 });
    await store.set(at("b"), "12345", { ttl: 10 });
    // It is written again, to stay.
    await store.set(at("b"), "12345", {});
    expect(await failure(store.set(at("c"), "12345", {}))).toBe("state: state is full");
    time = 10;
    expect(await store.set(at("c"), "12345", {})).toBe(1);
    expect(await store.get(at("b"))).toEqual({ value: "12345", version: 2 });
    expect(await failure(store.set(at("d"), 1, {}))).toBe("state: state is full");
  });

  test("identities count, with the name of their set; all of a call are remembered, or none", async () => {
    let time = 0;
    const store = bounded(13, () => time);
    const seen = (ids: readonly string[], ttl?: number): Promise<boolean[]> => store.seen(at("a"), ids, { cap: 3, ttl });
    // 3 of the name, 10 of the identities.
    expect(await seen(["12345", "1234", "12345"])).toEqual([true, true, false]);
    expect(await failure(seen(["12345", "22"]))).toBe("state: state is full");
    expect(await seen(["1", "12345"])).toEqual([true, false]);
    // The two oldest make room.
    expect(await seen(["a", "12345678"])).toEqual([true, true]);
    expect(await seen(["a", "12345678", "1"])).toEqual([false, false, false]);
    expect(await failure(seen(["x"], 10))).toBe("state: state is full");
    expect(await seen(["", "b", "c"])).toEqual([true, true, true]);
    expect(await seen(["12345678"], 10)).toEqual([true]);
    expect(await failure(seen(["y"], 10))).toBe("state: state is full");
    time = 10;
    expect(await seen(["12345678"], 10)).toEqual([true]);
    time = 20;
    expect(await seen(["87654321"], 10)).toEqual([true]);
  });

  test("entries are bounded, too, however short they are", async () => {
    let time = 0;
    const store = bounded(1_000_000, () => time);
    const ids = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => String(from + i));
    expect(await store.seen(at("a"), ids(0, 10_000), { cap: 5, ttl: 1 })).toHaveLength(10_000);
    expect(await failure(store.set(at("b"), 1, {}))).toBe("state: state is full");
    time = 1;
    expect(await store.set(at("b"), 1, {})).toBe(1);
    // A key that is written again and again with a time leaves nothing behind.
    for (let i = 0; i < 30_000; i++) await store.set(at("b"), 1, { ttl: 1_000 + i });
    expect(await store.set(at("b"), 1, {})).toBe(30_002);
    time = 1_000_000;
    expect(await store.get(at("b"))).toEqual({ value: 1, version: 30_002 });
  });

  test("a database of SQLite in memory has the same bound", async () => {
    const host = createHost({ env: { PIPEWRIGHT_STATE_DATABASE_URL: "sqlite::memory:" }, limits: { maxStateBytes: 100_000 } });
    hosts.push(host);
    const store = stateOf(host);
    const long = "x".repeat(20_000);
    const outcomes = await Promise.allSettled(numbers(10).map((key) => store.set(at(key), long, {})));
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeLessThan(6);
    expect(await failure(store.set(at("x"), long, {}))).toBe("state: state is full");
    expect(await store.get(at("0"))).toEqual({ value: long, version: 1 });
    for (const key of numbers(10)) await store.delete(at(key));
    expect(await store.set(at("x"), long, {})).toBe(1);
  });

  test("a store that refuses writes does not answer, until one has room", async () => {
    const logged: string[] = [];
    const host = process({ limits: { maxStateBytes: 100 }, log: (level, msg) => logged.push(`${level} ${msg}`) });
    hosts.push(host);
    const store = stateOf(host);
    await stateAnswers(host);
    await store.set(at("a"), "x".repeat(76), {});
    expect(await failure(store.set(at("b"), "x".repeat(76), {}))).toBe("state: state is full");
    expect(await failure(stateAnswers(host))).toBe("state: state is full");
    expect(await failure(stateAnswers(host))).toBe("state: state is full");
    expect(logged).toEqual(["error state: writes are refused: state is full"]);
    // A text that is too long for any store says nothing of it.
    await store.delete(at("a"));
    await stateAnswers(host);
    expect(await failure(store.set(at("a"), "x".repeat(1_048_576), {}))).toMatch(/longer than/);
    await stateAnswers(host);
  });
});

test("a clock that is set back brings nothing back", async () => {
  let time = 1000;
  const host = { ...process(), now: () => time };
  const store = stateOf(host);
  const place = fresh();
  await store.set(place, 1, { ttl: 10 });
  time = 1010;
  expect(await store.get(place)).toBeUndefined();
  time = 1000;
  expect(await store.get(place)).toBeUndefined();
});

test("one of many nodes without a shared store writes nothing", async () => {
  const store = stateOf(process({ env: { PIPEWRIGHT_CLUSTERED: "true" } }));
  const place = fresh();
  expect(await failure(store.set(place, 1, {}))).toBe("state: durable state required");
  expect(await failure(store.advance(place, 1, undefined))).toBe("state: durable state required");
  expect(await failure(store.delete(place))).toBe("state: durable state required");
  expect(await failure(store.seen(place, ["a"], { cap: 1 }))).toBe("state: durable state required");
  expect(await store.get(place)).toBeUndefined();
});

test("the state may have a database of its own; what is no database is refused", async () => {
  const env = { PIPEWRIGHT_STATE_DATABASE_URL: undefined, PIPEWRIGHT_DATABASE_URL: "redis://127.0.0.1" };
  expect(() => stateOf(process({ env }))).toThrow(/postgres:\/\/… or sqlite:FILE/);
  const own = process({ env: { ...env, PIPEWRIGHT_STATE_DATABASE_URL: "sqlite::memory:" } });
  hosts.push(own);
  expect(await stateOf(own).set(fresh(), 1, {})).toBe(1);
});

test("a database that does not answer is told to the log, without its password", async () => {
  const logged: string[] = [];
  const address = "postgres://user:hunter2@127.0.0.1:1/none";
  const host = process({
    env: { PIPEWRIGHT_STATE_DATABASE_URL: address },
    log: (level, msg) => logged.push(`${level} ${msg}`),
  });
  hosts.push(host);
  expect(await failure(stateOf(host).get(fresh()))).toBe("state: state is not available");
  expect(logged.join()).toMatch(/^error state: .*ECONNREFUSED/);
  expect(logged.join()).not.toContain("hunter2");
});

test("a file that cannot be opened is no bug of ours, and is tried again", async () => {
  const logged: string[] = [];
  const env = { PIPEWRIGHT_STATE_DATABASE_URL: "sqlite:/nowhere/at/all.db" };
  const host = process({ env, log: (level, msg) => logged.push(`${level} ${msg}`) });
  hosts.push(host);
  for (let i = 0; i < 2; i++) expect(await failure(stateAnswers(host))).toBe("state: state is not available");
  expect(logged).toEqual(Array.from({ length: 2 }, () => "error state: unable to open database file"));
});
