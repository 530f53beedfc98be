import { expect, test } from "vitest";
import { Engine } from "#runtime/durable/engine.ts";
import { Identity } from "#runtime/durable/identity.ts";
import { RunKeeper } from "#runtime/durable/keeper.ts";
import { rests } from "#runtime/durable/rests.ts";
import type { KeptAct } from "#runtime/run/journal.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { Process, World } from "./simulated-world.ts";

// A process that ends lets go of its runs, so that another one goes on with them at once (spec/surfaces 14).

interface Given {
  readonly world: World;
  readonly store: MemoryRuns;
  readonly engine: Engine;
  readonly keeper: RunKeeper;
  readonly left: readonly string[];
}

/** A run that is under way. Its keeper learns that it is stored when `answered` is. */
async function underWay(answered?: Promise<void>): Promise<Given> {
  const world = new World(1);
  const store = new MemoryRuns(() => world.now);
  const engine = new Engine({ store, isLasting: true, node: "one", timers: new Process(world, 1), log: () => undefined });
  const seed = Buffer.alloc(32);
  const left: string[] = [];
  const keeper = new RunKeeper({
    ...{ id: "run", engine, plans: ["p"], identity: new Identity(seed), seed, random: () => "uuid" },
    left: (why) => void left.push(why),
    breaks: (error) => {
      throw error;
    },
    create: async () => {
      const texts = { config: "c", interface: "i", bundle: "b", plan: "p", input: "{}", seed: seed.toString("hex") };
      await store.create({ id: "run", ...texts, lease: engine.lease });
      await answered;
      return 1;
    },
  });
  keeper.outcomeAt("A", { spec: {} });
  await world.run(1);
  return { world, store, engine, keeper, left };
}

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

const kept = { name: "A", spec: {}, tries: 0 } as unknown as KeptAct; // nothing settles

test("a run whose actions rest is let go of when its process hands over, and not before", async () => {
  const { world, engine, keeper, left } = await underWay();
  const ends = new AbortController();
  const act = Object.assign(kept, { signal: ends.signal });
  const { promise, resolve } = Promise.withResolvers<void>();
  let isAgain = false;
  const again = keeper
    .attempt(act, "A", () => rests(keeper, act, promise))
    .then(() => {
      isAgain = true;
    });
  await world.run(2);
  expect(left).toEqual([]);
  engine.handOver();
  // Its wait is over just now: what would begin here begins elsewhere.
  resolve();
  await turn();
  await world.run(3);
  await turn();
  expect([left, isAgain]).toEqual([["released"], false]);
  // The run of this process is cancelled then.
  ends.abort(new Error("elsewhere"));
  await expect(again).rejects.toThrow("elsewhere");
  engine.close();
});

test("a run whose caller waits goes on after the rest, while its process hands over", async () => {
  const { world, engine, keeper, left } = await underWay();
  keeper.isAwaited = true;
  const act = Object.assign(kept, { signal: new AbortController().signal });
  const { promise, resolve } = Promise.withResolvers<void>();
  const again = keeper.attempt(act, "A", () => rests(keeper, act, promise));
  engine.handOver();
  await world.run(2);
  resolve();
  await again;
  expect(left).toEqual([]);
  engine.close();
});

test("a run that is stored while its process hands over is let go of", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { world, store, engine, left } = await underWay(answered);
  expect(await store.show("run")).toMatchObject({ node: "one", epoch: 1 });
  engine.handOver();
  await world.run(2);
  answer();
  await turn();
  await world.run(3);
  expect(left).toEqual(["released"]);
  expect(await store.show("run")).toMatchObject({ status: "open", node: null });
  engine.close();
});
