import fc from "fast-check";
import { expect, test } from "vitest";
import { draws, seed } from "../../harness/rules/words.ts";
import { anyOperation, dump, type Nodes } from "./operations.ts";
import { backends } from "./run-stores.ts";

// Law: random operations get the same answers on every backend, and leave the same behind. The backend in memory is the model: it knows
// neither SQL nor transactions.

const operationsOfRun = 100;

const examples = draws(100);

test(
  `${examples} times ${operationsOfRun} random operations, seed ${seed}`,
  async () => {
    const sequence = fc.array(anyOperation, { minLength: operationsOfRun, maxLength: operationsOfRun });
    await fc.assert(
      fc.asyncProperty(sequence, async (operations) => {
        const all = await Promise.all(backends.map(async ({ open }) => open()));
        try {
          const nodes = all.map(
            (place): Nodes => ({
              place,
              runs: [place.node(), place.node()],
              states: [place.state(), place.state()],
              coordinations: [place.coordination(), place.coordination()],
            }),
          );
          const done: string[] = [];
          for (const [name, act] of operations) {
            done.push(name);
            const [model, ...others] = await Promise.all(nodes.map(act));
            for (const [i, other] of others.entries()) expect(other, `${backends[i + 1]?.name}: ${done.join("\n")}`).toEqual(model);
          }
          const [model, ...others] = await Promise.all(nodes.map(dump));
          for (const other of others) expect(other).toEqual(model);
        } finally {
          await Promise.all(all.map((place) => place.close()));
        }
      }),
      { numRuns: examples, seed, endOnFailure: true },
    );
  },
  60_000 + examples * 10_000,
);
