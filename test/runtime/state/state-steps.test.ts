import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LocalStore } from "#runtime/state/local.ts";
import { SqliteRows } from "#runtime/state/sqlite.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";

// Identities that are too many for one step of the database: others of the process have their turns between the steps, and the whole stays
// one transaction.

const set = { namespace: "n", key: "k" };
const many = (from: number): string[] => Array.from({ length: 12_000 }, (_, i) => `id ${from + i}`);

let folder: string;
let store: LocalStore;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-steps-"));
  store = new LocalStore(new SqliteRows(new SqliteStore(join(folder, "state.db"), 1_000_000, Date.now)), () => 0);
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const count = (answers: readonly boolean[]): number => answers.filter((isNew) => isNew).length;

test("others go on meanwhile, and see nothing of it", async () => {
  const order: string[] = [];
  const long = store.seen(set, many(0), { ttl: 1_000, cap: 1 }).then((answers) => order.push(`long ${count(answers)}`));
  const turn = new Promise<void>((resolve) => {
    setImmediate(() => {
      order.push("turn");
      resolve();
    });
  });
  const after = store.seen(set, many(6_000), { ttl: 1_000, cap: 1 }).then((answers) => order.push(`after ${count(answers)}`));
  const written = store.set(set, 1, {}).then(() => order.push("set"));
  await Promise.all([long, turn, after, written]);
  expect(order.slice(0, 2)).toEqual(["turn", "long 12000"]);
  expect(order.slice(2).toSorted()).toEqual(["after 6000", "set"]);
  expect((await store.get(set))?.value).toBe(1);
});

test("nothing stays of one that fails", async () => {
  const fresh = { namespace: "n", key: "full" };
  await expect(store.seen(fresh, many(0), { ttl: 1_000, cap: 1, most: 10 })).rejects.toThrow("would hold more than 10 ids");
  expect(count(await store.seen(fresh, many(0), { ttl: 1_000, cap: 1 }))).toBe(12_000);
});

test("without a time the last that were added stay", async () => {
  const lasting = { namespace: "n", key: "lasting" };
  expect(count(await store.seen(lasting, many(0), { cap: 5_000 }))).toBe(12_000);
  expect(count(await store.seen(lasting, many(0), { cap: 20_000 }))).toBe(7_000);
});
