import { expect, test } from "vitest";
import { RunWaits, type WaitingRun } from "#runtime/durable/waits.ts";
import type { Wait } from "#runtime/store/runs.ts";
import { until } from "../../harness/until.ts";

// Waits of a run that leaves the process: nothing of it stays behind (spec/surfaces 14).

/** A run, the timers that it has, and what it has stored. */
function waiting(store: WaitingRun["store"] = async () => true) {
  const timers = new Set<() => void>();
  const stored: Wait[] = [];
  const run: WaitingRun = {
    seed: Buffer.alloc(32),
    store: (points, wait) => {
      if (wait !== undefined) stored.push(wait);
      return store(points, wait);
    },
    now: async () => 1_000,
    registered: async () => stored.map(({ path }) => path),
    after: (_, call) => {
      timers.add(call);
      return () => void timers.delete(call);
    },
    rest: () => undefined,
  };
  return { waits: new RunWaits(run), timers, stored, run };
}

test("a time is awaited by a timer, which is taken back when the run leaves", async () => {
  const { waits, timers, stored } = waiting();
  void waits.pause({}, "A", 60_000);
  await until(() => expect(timers.size).toBe(1));
  expect(stored).toMatchObject([{ path: "A", until: 61_000 }]);
  waits.leave();
  expect(timers.size).toBe(0);
});

test("a time that is over ends the wait", async () => {
  const { waits, timers } = waiting();
  const over = waits.pause({}, "A", 60_000);
  await until(() => expect(timers.size).toBe(1));
  for (const call of timers) call();
  await over;
  expect(waits.suspended.size).toBe(0);
});

test.each([
  ["another node has the run", waiting(async () => false)],
  ["the run has left before", { ...waiting(), waits: new RunWaits({ ...leftRun() }) }],
])("a wait ends where %s", async (_, { waits, timers }) => {
  await expect(waits.pause({}, "A", 60_000)).rejects.toThrow("the run goes on elsewhere");
  await expect(waits.callback({}, "B", "a long token of somebody", 60_000)).rejects.toThrow("the run goes on elsewhere");
  expect(timers.size).toBe(0);
  expect(waits.suspended.size).toBe(0);
});

test("a token that is over without an answer is neither made again nor awaited", async () => {
  const { timers, stored, run } = waiting();
  const waits = new RunWaits(run, [], new Map([["A\ttoken", ""]]));
  expect(await waits.open("A", "a long token of somebody", 60_000, null)).toBe(false);
  expect(await waits.callback({}, "A", "a long token of somebody", 60_000)).toBeUndefined();
  expect([timers.size, stored]).toEqual([0, []]);
});

/** A run that asks nothing any more. */
function leftRun(): WaitingRun {
  return {
    ...{ seed: Buffer.alloc(32), store: async () => true, now: async () => undefined, registered: async () => [] },
    ...{ after: () => () => undefined, rest: () => undefined },
  };
}
