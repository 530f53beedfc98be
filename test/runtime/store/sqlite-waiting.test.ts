import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GuardedStore } from "#runtime/state/guarded.ts";
import { LocalStore } from "#runtime/state/local.ts";
import { SqliteRows } from "#runtime/state/sqlite.ts";
import { SqliteStore, writeMs } from "#runtime/store/sqlite-store.ts";

// Writes while another process has the file of SQLite: by a clock that goes on with each try (spec/surfaces 12, 16).

const place = { namespace: "n", key: "k" };
const many = Array.from({ length: 5_001 }, (_, i) => `id ${i}`);

let folder: string;
let now: number;
let other: DatabaseSync;
let store: SqliteStore;
let state: GuardedStore;
/** Called at each try of a write. */
let tried: () => void;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-waiting-"));
  now = 0;
  tried = () => undefined;
  const pause = async (): Promise<void> => {
    now += 100;
    tried();
    await setImmediate();
  };
  store = new SqliteStore(join(folder, "state.db"), 1_000_000, Date.now, { monotonic: () => now, pause });
  state = new GuardedStore(
    new LocalStore(new SqliteRows(store), () => 0),
    () => undefined,
    () => store.waitedMs,
  );
  await state.set(place, 0, {});
  other = new DatabaseSync(join(folder, "state.db"));
  other.exec("BEGIN EXCLUSIVE");
});
afterEach(() => {
  other.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The time at which a write was given up. */
const ended = (write: Promise<unknown>): Promise<number> => write.then(() => Number.NaN).catch(() => now);

test("each write is given up so long after its call, however many are before it", async () => {
  const writes = [
    state.set(place, 1, {}),
    state.seen(place, many, { cap: 1 }),
    state.set(place, 2, {}),
    state.seen(place, many, { cap: 1 }),
  ];
  for (const at of await Promise.all(writes.map(ended))) expect(at - writeMs).toBeLessThan(1_000);
  expect((await state.get(place))?.value).toBe(0);
});

test("a write that comes later waits as long from its own call on, and is made when the file is free", async () => {
  const first = ended(state.set(place, 1, {}));
  let second: Promise<unknown> | undefined;
  tried = () => {
    if (now === 10_000) second = state.set(place, 2, {});
    if (now === 20_000) other.exec("COMMIT");
  };
  expect((await first) - writeMs).toBeLessThan(1_000);
  await second;
  expect(now).toBe(20_000);
  expect((await state.get(place))?.value).toBe(2);
});

test.each([
  ["a value", (signal: AbortSignal) => state.set(place, 1, { signal })],
  ["the larger value", (signal: AbortSignal) => state.advance(place, 1, undefined, signal)],
  ["a deletion", (signal: AbortSignal) => state.delete(place, signal)],
  ["identities", (signal: AbortSignal) => state.seen(place, ["a"], { cap: 1, signal })],
  ["many identities", (signal: AbortSignal) => state.seen(place, many, { cap: 10_000, signal })],
])("%s of a run that was cancelled meanwhile is not made", async (_, write) => {
  const caller = new AbortController();
  const withdrawn = write(caller.signal);
  const later = state.seen({ ...place, key: "other" }, ["x"], { cap: 1 });
  tried = () => {
    if (now === 500) caller.abort();
    if (now === 1_000) other.exec("COMMIT");
  };
  await expect(withdrawn).rejects.toThrow("the caller is gone");
  expect(await later).toEqual([true]);
  expect((await state.get(place))?.value).toBe(0);
  expect(await state.seen(place, ["a", "id 0"], { cap: 10 })).toEqual([true, true]);
  await state.answers();
});

test("the store is not ready while a write waits for long, and ready again when it is made", async () => {
  await state.answers();
  const write = state.set(place, 1, {});
  const answers: Promise<boolean>[] = [];
  tried = () => {
    if (now % 1_000 === 0)
      answers.push(
        state
          .answers()
          .then(() => true)
          .catch(() => false),
      );
    if (now === 4_000) other.exec("COMMIT");
  };
  await write;
  expect(await Promise.all(answers.slice(0, 3))).toEqual([true, false, false]);
  await state.answers();
});
