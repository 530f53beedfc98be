import fc from "fast-check";
import { expect, test } from "vitest";
import { compiledJq, type JqResult, realJq, realJqEach } from "../../harness/compiled-jq.ts";
import { randomData, randomFilter } from "../../harness/random/jq.ts";
import { repeating } from "../../harness/rules/repeated.ts";
import { draws, seed } from "../../harness/rules/words.ts";

// Law `agree` for jq: a compiled filter gives what jq 1.8.2 gives, values and errors, or leaves the data to jq.

const filters = draws(6_000);
const dataEach = 10;

test(`${filters} random filters, each on random data, seed ${seed}`, { timeout: 120_000 + filters * 100 }, async () => {
  const questions = fc.tuple(randomFilter, fc.array(randomData, { minLength: dataEach, maxLength: dataEach }));
  const wrong: unknown[] = [];
  const count = { compiled: 0, runs: 0, left: 0, failed: 0 };
  for (const [filter, list] of fc.sample(questions, { numRuns: filters, seed })) {
    const compiled = compiledJq(filter);
    if (typeof compiled === "string") continue;
    count.compiled += 1;
    const all = await realJqEach(filter, list);
    for (const [i, data] of list.entries()) {
      const made = compiled(data);
      count.runs += 1;
      if (made === "left") count.left += 1;
      else if (all === undefined || shown(made) !== shown(all[i] ?? "left")) {
        const real = await realJq(filter, JSON.stringify(data));
        // True when jq cannot compile the filter, for example because a key is no text: `check` refuses such a filter.
        const isNone = real !== "left" && "error" in real && real.error.startsWith("jq: ");
        if (!isNone && shown(made) !== shown(real)) wrong.push({ filter, data, made, real });
      }
      if (made !== "left" && "error" in made) count.failed += 1;
    }
  }
  console.log(
    `jq: ${filters} filters, ${count.compiled} compiled, ${count.runs} runs, ${count.failed} failed alike, ${count.left} left to jq; seed ${seed}`,
  );
  expect(wrong, `to repeat it: ${repeating(seed)}`).toEqual([]);
  expect(count.compiled).toBeGreaterThan(filters / 2);
  expect(count.left / count.runs).toBeLessThan(0.05);
});

/** A result as text, because the order of members counts. */
const shown = (made: JqResult): string => JSON.stringify(made === "left" || "value" in made ? made : made.error);
