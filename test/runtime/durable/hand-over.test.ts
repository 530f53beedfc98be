import { expect, test } from "vitest";
import { Engine } from "#runtime/durable/engine.ts";
import { Identity } from "#runtime/durable/identity.ts";
import { RunKeeper } from "#runtime/durable/keeper.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { Process, World } from "./simulated-world.ts";

// A process that ends lets go of its runs, so that another one goes on with them at once (spec/surfaces 14).

test("a run that is stored while its process hands over is let go of", async () => {
  const world = new World(1);
  const store = new MemoryRuns(() => world.now);
  const timers = new Process(world, 1);
  const engine = new Engine({ store, isLasting: true, node: "one", timers, log: () => undefined });
  const seed = Buffer.alloc(32);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
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
  expect(await store.show("run")).toMatchObject({ node: "one", epoch: 1 });
  engine.handOver();
  await world.run(2);
  answer();
  await new Promise((resolve) => setImmediate(resolve));
  await world.run(3);
  expect(left).toEqual(["released"]);
  expect(await store.show("run")).toMatchObject({ status: "open", node: null });
  engine.close();
});
