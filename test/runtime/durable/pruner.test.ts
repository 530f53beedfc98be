import { describe, expect, test } from "vitest";
import { Engine } from "#runtime/durable/engine.ts";
import { prune } from "#runtime/durable/pruner.ts";
import type { Timers } from "#runtime/durable/timers.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { newRun, of } from "../store/run-stores.ts";

// Runs that are over do not stay for ever (spec/surfaces 14).

const minute = 60_000;

/** An engine whose time passes when the test says so; the clock of its store goes along. */
function aged(isLasting: boolean, keptMs: number) {
  let now = 1_700_000_000_000;
  let calls: { readonly at: number; readonly call: () => void }[] = [];
  const timers: Timers = {
    monotonic: () => now,
    after: (ms, call) => {
      const own = { at: now + ms, call };
      calls.push(own);
      return () => {
        calls = calls.filter((each) => each !== own);
      };
    },
  };
  const store = new MemoryRuns(() => now);
  const log: string[] = [];
  const engine = new Engine({ store, isLasting, node: "a", timers, log: (_level, text) => void log.push(text) });
  prune(engine, keptMs);
  const pass = async (ms: number): Promise<void> => {
    const until = now + ms;
    for (;;) {
      const [next] = calls.filter(({ at }) => at <= until).sort((one, two) => one.at - two.at);
      if (next === undefined) break;
      calls = calls.filter((each) => each !== next);
      now = Math.max(now, next.at);
      next.call();
      await new Promise((resolve) => setImmediate(resolve));
    }
    now = until;
  };
  const ended = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const run = newRun({ lease: of("a") });
      await store.create(run);
      await store.cancel(run.id);
    }
  };
  return { engine, store, log, pass, ended, open: () => calls.length };
}

describe.each([
  { where: "a database keeps them as long as it was told", isLasting: true, keptMs: 60 * minute, before: 59, after: 62 },
  { where: "memory keeps them a minute", isLasting: false, keptMs: 60 * minute, before: 0.9, after: 3 },
])("$where", ({ isLasting, keptMs, before, after }) => {
  test("and runs that go on stay", async () => {
    const { store, pass, ended } = aged(isLasting, keptMs);
    await ended(2);
    const open = newRun({ lease: of("a") });
    await store.create(open);
    await pass(before * minute);
    expect(await store.list({})).toHaveLength(3);
    await pass((after - before) * minute);
    expect(await store.list({})).toMatchObject([{ id: open.id }]);
  });
});

test("more than one call removes go within seconds, in several calls", async () => {
  const { store, pass, ended } = aged(true, 0);
  await ended(2_500);
  await pass(minute + 1_000);
  expect(await store.list({ limit: 1_000 })).toEqual([]);
});

test("a store that does not answer is asked again, and a closed engine asks no more", async () => {
  const { engine, store, log, pass, ended, open } = aged(true, 0);
  await ended(1);
  const { now } = store;
  store.now = () => Promise.reject(new Error("gone"));
  await pass(minute);
  expect(log).toEqual(["durable runs: the store does not answer: gone"]);
  store.now = now.bind(store);
  await pass(2 * minute);
  expect(await store.list({})).toEqual([]);
  engine.close();
  await pass(2 * minute);
  expect(open()).toBe(0);
});
