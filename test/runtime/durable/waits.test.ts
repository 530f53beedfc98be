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

test("a wait that is longer than the time of its action ends with that", async () => {
  const { waits, timers, stored } = waiting();
  const act = {};
  waits.limit(act, 5_000);
  const over = waits.pause(act, "A", 60_000);
  await until(() => expect(timers.size).toBe(1));
  expect(stored).toMatchObject([{ path: "A", until: 6_000 }]);
  for (const call of timers) call();
  await expect(over).rejects.toThrow("timed out after 5000ms");
});

test.each([
  [5_000, 60_000, "timed out after 5000ms"],
  [60_000, 5_000, undefined],
])("a wait that is over when its run comes back: %i ms for the action, %i for the wait", async (limit, ms, error) => {
  const { run } = waiting();
  const waits = new RunWaits(run, [{ path: "A", tokenHash: "", state: "expired" }]);
  const act = {};
  waits.limit(act, limit);
  const ended = Promise.allSettled([waits.pause(act, "A", ms), waits.callback(act, "A", "a long token of somebody", ms)]);
  const reasons = (await ended).map((each) => (each.status === "rejected" ? String(each.reason.message) : undefined));
  expect(reasons).toEqual([error, error]);
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

test("an action that has ended while its wait was being stored waits no more", async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { waits, timers, stored } = waiting(() => promise);
  const act = {};
  const over = waits.pause(act, "A", 60_000);
  await until(() => expect(stored).toHaveLength(1));
  waits.ended(act);
  resolve(true);
  await over;
  expect([waits.suspended.size, timers.size]).toEqual([0, 0]);
});
