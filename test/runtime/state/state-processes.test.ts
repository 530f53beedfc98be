import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LocalStore } from "#runtime/state/local.ts";
import { SqliteRows } from "#runtime/state/sqlite.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";

// Processes that share a file of SQLite: none of them stands still while another one writes, and what one has not finished is not there.

const set = { namespace: "n", key: "k" };
const ids = Array.from({ length: 40_000 }, (_, i) => `id ${i}`);

let folder: string;
let file: string;
const stores: LocalStore[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-processes-"));
  file = join(folder, "state.db");
});
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(): LocalStore {
  const store = new LocalStore(new SqliteRows(new SqliteStore(file, 1_000_000, Date.now)), () => 0);
  stores.push(store);
  return store;
}

const fresh = (answers: readonly boolean[]): number => answers.filter((isNew) => isNew).length;

test("a process that is killed in the middle leaves nothing behind", async () => {
  const store = opened();
  await store.set(set, "before", {});
  const script = fileURLToPath(new URL("half-done.ts", import.meta.url));
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const other = new DatabaseSync(file, { timeout: 0 });
  expect(() => other.exec("BEGIN IMMEDIATE")).toThrow("locked");
  // Readers do not wait, and see nothing of it.
  expect((await store.get(set))?.value).toBe("before");
  expect(other.prepare("SELECT count(*) AS count FROM pw_seen").get()?.count).toBe(0);
  const written = store.set(set, "after", {});
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
  expect(await written).toBe(2);
  expect(fresh(await store.seen(set, ids, { ttl: 1_000, cap: 1 }))).toBe(ids.length);
  expect(other.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
  other.close();
});

test("a process serves others while it waits for another one that writes", async () => {
  const store = opened();
  await store.set(set, 1, {});
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  let isDone = false;
  const waiting = [store.set(set, 2, {}), store.seen(set, ["a"], { cap: 10 }), store.delete({ ...set, key: "other" })];
  const all = Promise.all(waiting).then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect((await store.get(set))?.value).toBe(1);
  expect(isDone).toBe(false);
  other.exec("COMMIT");
  other.close();
  await all;
  expect((await store.get(set))?.value).toBe(2);
});

test("processes that write all the time let a long step of another one begin", async () => {
  const script = fileURLToPath(new URL("always-writing.ts", import.meta.url));
  const writers = ["x", "y", "z"].map((name) => spawn(process.execPath, [script, file, name], { stdio: ["ignore", "pipe", "inherit"] }));
  try {
    await Promise.all(writers.map(({ stdout }) => once(stdout, "data")));
    const store = opened();
    for (const key of ["first", "second", "third"]) {
      expect(fresh(await store.seen({ ...set, key }, ids, { ttl: 1_000, cap: 1 }))).toBe(ids.length);
      expect(await store.set({ ...set, key }, 1, {})).toBe(1);
    }
    expect(writers.map(({ exitCode }) => exitCode)).toEqual([null, null, null]);
  } finally {
    for (const writer of writers) writer.kill("SIGKILL");
    await Promise.all(writers.filter(({ exitCode }) => exitCode === null).map((writer) => once(writer, "exit")));
  }
}, 60_000);

test("a store that is closed in the middle leaves nothing behind", async () => {
  const store = new LocalStore(new SqliteRows(new SqliteStore(file, 1_000_000, Date.now)), () => 0);
  const long = store.seen(set, ids, { ttl: 1_000, cap: 1 });
  await setImmediate();
  store.close();
  await expect(long).rejects.toThrow(/not open|finalized/);
  expect(fresh(await opened().seen(set, ids, { ttl: 1_000, cap: 1 }))).toBe(ids.length);
});
