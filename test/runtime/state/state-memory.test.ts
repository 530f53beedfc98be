import { afterEach, describe, expect, test } from "vitest";
import { createHost } from "../../../runtime/process/host.ts";
import { LocalStore } from "../../../runtime/state/local.ts";
import { MemoryRows } from "../../../runtime/state/memory.ts";
import { stateAnswers, stateOf } from "../../../runtime/state/open.ts";
import { failure } from "../../harness/database-run.ts";
import { fresh, hosts, numbers } from "./state-places.ts";
import { memory } from "./state-stores.ts";

// Bounds of the state in memory, and the behaviour of a process whose store does not answer (spec/surfaces 12).

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const inMemory = memory.process;

test("memory is swept as well", async () => {
  const rows = new MemoryRows(1_000);
  let now = 0;
  const store = new LocalStore(rows, () => now);
  const place = fresh();
  await store.set(place, 1, { ttl: 1 });
  await store.seen(place, ["a"], { ttl: 1, cap: 1 });
  rows.sweep(now);
  expect([rows.read(place)?.json, rows.known(place, ["a"], 0).size]).toEqual(["1", 1]);
  now = 5;
  rows.sweep(now);
  expect([rows.read(place), rows.known(place, ["a"], 0).size]).toEqual([undefined, 0]);
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
    // The value is written again, to stay.
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
    const host = inMemory({ limits: { maxStateBytes: 100 }, log: (level, msg) => logged.push(`${level} ${msg}`) });
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
  const host = { ...inMemory(), now: () => time };
  const store = stateOf(host);
  const place = fresh();
  await store.set(place, 1, { ttl: 10 });
  time = 1010;
  expect(await store.get(place)).toBeUndefined();
  time = 1000;
  expect(await store.get(place)).toBeUndefined();
});

test("one of many nodes without a shared store writes nothing", async () => {
  const store = stateOf(inMemory({ env: { PIPEWRIGHT_CLUSTERED: "true" } }));
  const place = fresh();
  expect(await failure(store.set(place, 1, {}))).toBe("state: durable state required");
  expect(await failure(store.advance(place, 1, undefined))).toBe("state: durable state required");
  expect(await failure(store.delete(place))).toBe("state: durable state required");
  expect(await failure(store.seen(place, ["a"], { cap: 1 }))).toBe("state: durable state required");
  expect(await store.get(place)).toBeUndefined();
});

test("the state may have a database of its own; what is no database is refused", async () => {
  const env = { PIPEWRIGHT_STATE_DATABASE_URL: undefined, PIPEWRIGHT_DATABASE_URL: "redis://127.0.0.1" };
  expect(() => stateOf(inMemory({ env }))).toThrow(/postgres:\/\/… or sqlite:FILE/);
  const own = inMemory({ env: { ...env, PIPEWRIGHT_STATE_DATABASE_URL: "sqlite::memory:" } });
  hosts.push(own);
  expect(await stateOf(own).set(fresh(), 1, {})).toBe(1);
});

test("a database that does not answer is told to the log, without its password", async () => {
  const logged: string[] = [];
  const address = "postgres://user:hunter2@127.0.0.1:1/none";
  const host = inMemory({
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
  const host = inMemory({ env, log: (level, msg) => logged.push(`${level} ${msg}`) });
  hosts.push(host);
  for (let i = 0; i < 2; i++) expect(await failure(stateAnswers(host))).toBe("state: state is not available");
  expect(logged).toEqual(
    Array.from(
      { length: 2 },
      () =>
        "error state: the store /nowhere/at/all.db cannot be opened: the folder /nowhere/at does not exist; make it, or name a file elsewhere",
    ),
  );
});
