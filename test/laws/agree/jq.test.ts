import fc from "fast-check";
import { expect, test } from "vitest";
import { compiledJq, type Made, realJq } from "../../harness/compiled-jq.ts";
import { randomData, randomFilter } from "../../harness/random-jq.ts";

// Law `agree` for jq: a compiled filter gives what jq 1.8.2 gives, values and errors, or leaves the data to it.

const seed = Number(process.env.JQ_SEED ?? 20_261_121);
const runs = Number(process.env.JQ_RUNS ?? 15_000);

test(`${runs} random filters on random data, seed ${seed}`, { timeout: 600_000 }, async () => {
  const pairs = fc.sample(fc.tuple(randomFilter, randomData), { numRuns: runs, seed });
  const wrong: unknown[] = [];
  const count = { compiled: 0, left: 0, failed: 0 };
  for (const [filter, data] of pairs) {
    const compiled = compiledJq(filter);
    if (typeof compiled === "string") continue;
    count.compiled += 1;
    const made = compiled(data);
    if (made === "left") count.left += 1;
    else {
      const real = await realJq(filter, JSON.stringify(data));
      // No filter at all, such as one with a key that is no text: `check` refuses it.
      if (real !== "left" && "error" in real && real.error.startsWith("jq: ")) continue;
      if ("error" in made) count.failed += 1;
      if (shown(made) !== shown(real)) wrong.push({ filter, data, made, real });
    }
  }
  console.log(`jq: ${runs} filters, ${count.compiled} compiled, ${count.failed} failed alike, ${count.left} left to jq; seed ${seed}`);
  expect(wrong).toEqual([]);
  expect(count.compiled).toBeGreaterThan(runs / 2);
  expect(count.left / count.compiled).toBeLessThan(0.05);
});

/** As text: the order of members counts. */
const shown = (made: Made): string => JSON.stringify(made === "left" || "value" in made ? made : made.error);
