import { afterAll, afterEach, describe, expect, test } from "vitest";
import { stateOf } from "../../../runtime/state/open.ts";
import type { StateStore } from "../../../runtime/state/store.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { failure } from "../../harness/database-run.ts";
import { until } from "../../harness/until.ts";
import { fresh, hosts, numbers } from "./state-places.ts";
import { backends } from "./state-stores.ts";

// Each operation means the same on every backend (spec/surfaces 12).

/** A database has a clock of its own: what is to expire there does so in real time. More of it makes no difference. */
const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const all = await backends();

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});
afterAll(async () => {
  for (const backend of all) await backend.close();
});

describe.each(all)("$name", ({ name, process, rows }) => {
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

  test("an identity is new again to the work that has added it, by its mark", async () => {
    const store = open();
    const set = fresh();
    const seen = (ids: readonly string[], mark?: string, ttl?: number): Promise<boolean[]> => store.seen(set, ids, { cap: 5, ttl, mark });
    expect(await seen(["a", "b"], "one")).toEqual([true, true]);
    expect(await seen(["a", "c"])).toEqual([false, true]);
    expect(await seen(["a", "b"], "two")).toEqual([false, false]);
    expect(await seen(["b", "c", "a", "a", "d"], "one")).toEqual([true, false, true, false, true]);
    expect(await seen(["a", "b", "c", "d"])).toEqual([false, false, false, false]);
    expect(await seen(["x"], "one", 600_000)).toEqual([true]);
    expect(await seen(["x"], "two", 600_000)).toEqual([false]);
    expect(await seen(["x"], "one", 600_000)).toEqual([true]);
    // An identity that is noted without a mark does not belong to an earlier mark.
    expect(await seen(["y"], "one", 1)).toEqual([true]);
    await wait(50);
    expect(await seen(["y"])).toEqual([true]);
    expect(await seen(["y"], "one")).toEqual([false]);
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

  test.each(["x\u0000y", "\ud800"])("a value of which PostgreSQL has no text says nothing of the next: %j", async (value) => {
    const logged: string[] = [];
    const host = process({ log: (level, msg) => logged.push(`${level} ${msg}`) });
    hosts.push(host);
    const store = stateOf(host);
    const place = fresh();
    const outcome = await failure(store.set(place, value, {}));
    if (name === "postgres") expect(outcome).toBe("state: state value holds a character that PostgreSQL cannot store");
    else expect([outcome, await store.get(place)]).toEqual(["no failure", { value, version: 1 }]);
    expect(logged).toEqual([]);
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
