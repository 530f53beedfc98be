import { expect, test } from "vitest";
import { Activity } from "#runtime/durable/activity.ts";
import { Broken } from "#runtime/durable/engine.ts";
import { Identity } from "#runtime/durable/identity.ts";
import { RunSteps, type SteppingRun } from "#runtime/durable/steps.ts";
import { RunWaits } from "#runtime/durable/waits.ts";
import type { Checkpoint, Wait } from "#runtime/store/runs.ts";
import { until } from "../../harness/until.ts";

// Steps of an action (spec/surfaces 14): what is stored is not done again, and the run leaves only when each of them waits.

interface Given {
  readonly steps: RunSteps;
  readonly activity: Activity;
  readonly waits: RunWaits;
  readonly identity: Identity;
  readonly stored: (Checkpoint | Wait)[];
  /** The number of checks whether the run may leave. */
  readonly rests: () => number;
}

function stepping({ kept = {}, tries = 0, ...more }: { kept?: Record<string, string>; tries?: number } & Partial<SteppingRun> = {}): Given {
  let rests = 0;
  const stored: (Checkpoint | Wait)[] = [];
  const timers = { monotonic: () => 0, after: (_: number, call: () => void) => (call(), () => undefined) };
  const activity = new Activity(timers, () => {
    rests += 1;
  });
  const identity = new Identity(Buffer.alloc(32, 7));
  const waits = new RunWaits({
    seed: Buffer.alloc(32),
    store: async (points, wait) => {
      stored.push(...points, ...(wait === undefined ? [] : [wait]));
      return true;
    },
    now: async () => 1_000,
    registered: async () => stored.map(({ path }) => path),
    after: timers.after,
    rest: () => activity.rest(),
  });
  const run: SteppingRun = {
    ...{ identity, waits, activity, isOver: false },
    stepAt: (path) => kept[path],
    holds: () => false,
    store: async (points) => {
      stored.push(...points);
      return true;
    },
    ...more,
  };
  const act = {};
  activity.began(act);
  const steps = new RunSteps(run, Object.assign(act, { tries }), "A");
  return { steps, activity, waits, identity, stored, rests: () => rests };
}

test("a step that is stored is not done again", async () => {
  const { steps, stored } = stepping({ kept: { "A\tstep one": '{"n":1}' } });
  expect(await steps.once("one", () => Promise.reject(new Error("done again")))).toEqual({ n: 1 });
  expect(await steps.once("two", async () => ({ n: 2 }))).toEqual({ n: 2 });
  expect(stored).toEqual([{ path: "A\tstep two", output: '{"n":2}' }]);
});

test("another try of the action does its steps anew, and tries inside of one stay there", async () => {
  const { steps, stored } = stepping({ tries: 1, kept: { "A\tstep one": "1" } });
  expect(await steps.once("one", async () => 2)).toBe(2);
  expect(stored).toEqual([{ path: "A~1\tstep one", output: "2" }]);
  const act = { tries: 0 };
  const run = stepping();
  const attempt = new RunSteps(
    { ...run, isOver: false, stepAt: () => undefined, holds: () => false, store: async (points) => run.stored.push(...points) > 0 },
    act,
    "A",
  );
  act.tries = 2;
  await attempt.once("one", async () => 1);
  expect(run.stored).toEqual([{ path: "A\tstep one", output: "1" }]);
});

test("what a step generates is the same when it is done again", async () => {
  const made = async (): Promise<readonly unknown[]> => {
    const { steps, identity } = stepping();
    return [
      await steps.once("one", async () => identity.uuid()),
      await steps.once("two", async () => [identity.uuid(), identity.uuid()]),
      identity.token("A\tstep three"),
    ];
  };
  const first = await made();
  expect(await made()).toEqual(first);
  expect(new Set(first.flat()).size).toBe(4);
});

test("a result that no store takes fails the action", async () => {
  const { steps } = stepping({ store: () => Promise.reject(new Broken("a run holds more than 67108864 bytes")) });
  await expect(steps.once("one", async () => "x")).rejects.toMatchObject({
    kind: "state",
    message: "a run holds more than 67108864 bytes",
  });
});

test("a step of a run that goes on elsewhere is not begun, and its result counts for nothing", async () => {
  let works = 0;
  const work = async (): Promise<number> => ++works;
  await expect(stepping({ isOver: true }).steps.once("one", work)).rejects.toThrow("the run goes on elsewhere");
  await expect(stepping({ store: async () => false }).steps.once("one", work)).rejects.toThrow("the run goes on elsewhere");
  expect(works).toBe(1);
});

test("a step waits for leave to begin, and the run may leave meanwhile", async () => {
  const held: (() => void)[] = [];
  const { steps, activity } = stepping({ holds: ({ goOn }) => held.length === 0 && held.push(goOn) > 0 });
  let works = 0;
  const done = steps.once("one", async () => ++works);
  await until(() => expect(held).toHaveLength(1));
  expect([works, activity.isQuiet(new Set())]).toEqual([0, true]);
  held[0]?.();
  expect(await done).toBe(1);
});

test("a run is quiet when one of its steps waits and no other is in work", async () => {
  const { steps, activity, waits, stored, rests } = stepping();
  const asked = steps.ask("ask", { question: { tool: "pay" }, ms: 60_000, tell: async () => true });
  await until(() => expect(waits.suspended.size).toBe(1));
  expect(activity.isQuiet(waits.suspended)).toBe(true);
  expect(stored).toMatchObject([
    { path: "A\tstep ask\tquestion", output: '{"tool":"pay"}' },
    { path: "A\tstep ask\ttoken", until: 61_000, tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { path: "A\tstep ask", until: 61_000 },
  ]);
  const { promise, resolve } = Promise.withResolvers<string>();
  const other = steps.once("other", () => promise);
  await until(() => expect(activity.isQuiet(waits.suspended)).toBe(false));
  const before = rests();
  resolve("done");
  expect(await other).toBe("done");
  expect(activity.isQuiet(waits.suspended)).toBe(true);
  expect(rests()).toBeGreaterThan(before);
  void asked;
});

test("nothing is awaited where nobody could be told", async () => {
  const { steps, stored } = stepping();
  expect(await steps.ask("ask", { question: null, ms: 1, tell: async () => false })).toEqual({ state: "untold" });
  expect(stored.slice(-2)).toEqual([
    { path: "A\tstep ask", output: '{"state":"untold"}' },
    { path: "A\tstep ask\ttoken", output: "" },
  ]);
});
