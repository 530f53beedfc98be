import { describe, expect, test } from "vitest";
import { planTexts } from "../../compiler/pipeline.ts";
import { isWorse } from "./baseline.ts";
import { geometricMean, isReached } from "./goals.ts";
import { exponentOf } from "./scale/scale.ts";
import { medianOf, type ShortReport, worse } from "./short.ts";
import { differences, median, quantile, ratios } from "./statistics.ts";
import { syntheticConfigs } from "./synthetic.ts";
import { planService } from "./systems.ts";
import { inTurn } from "./turns.ts";
import { workloads } from "./workloads.ts";

// The benchmark runs seldom: what it compiles must still compile when it does.

test("the service under test compiles", async () => {
  const { plans } = await planService();
  expect(plans.flatMap(({ interfaces }) => interfaces.map(({ name }) => name))).toEqual(Object.keys(workloads));
});

test("a synthetic project compiles without a warning, and has as many interfaces as were asked for", () => {
  const { plans, diagnostics } = planTexts(syntheticConfigs(6, 3));
  expect(diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
  expect(plans.map(({ interfaces }) => interfaces.length)).toEqual([2, 2, 2]);
});

test("each system is in each place of a round equally often", () => {
  const rounds = Array.from({ length: 6 }, (_, round) => inTurn(["a", "b", "c"], round).join(""));
  expect(rounds).toEqual(["abc", "bca", "cab", "cba", "acb", "bac"]);
});

describe("statistics", () => {
  test("a quantile lies between two values in proportion", () => {
    expect(quantile([4, 1, 3, 2], 0.1)).toBeCloseTo(1.3);
    expect(quantile([], 0.5)).toBeNaN();
  });

  test("the median of an even number of values is the mean of the middle two", () => {
    expect(median([10, 1, 3, 2])).toBe(2.5);
    expect(median([5])).toBe(5);
  });

  test("ratios compare what was measured in the same round", () => {
    expect(ratios([2, 9], [1, 3])).toEqual([2, 3]);
    expect(differences([2, 9], [1, 3])).toEqual([1, 6]);
  });
});

describe("goals", () => {
  const one = [1, 1, 1, 1, 1];

  test("a median within the share reaches it, whatever the worst round says", () => {
    expect(isReached([0.8, 0.9, 0.9, 1, 9], one, 0.9)).toBe(true);
  });

  test("a median over it is missed only when the best rounds are over it, too", () => {
    expect(isReached([0.5, 1, 1, 1, 1], one, 0.9)).toBe(true);
    expect(isReached([0.95, 1, 1, 1, 1], one, 0.9)).toBe(false);
  });

  test("few rounds, and rounds without a figure, say nothing", () => {
    expect(isReached([0.5, 0.5], [1, 1], 0.9)).toBeUndefined();
    expect(isReached([Number.NaN, 0.5, 0.5, 0.5, 0.5], one, 0.9)).toBeUndefined();
  });
});

test("the power with which a curve grows is that of its last points", () => {
  const curve = (cost: (size: number) => number) => [1, 10, 100, 1_000, 10_000].map((size) => ({ size, cost: cost(size) }));
  expect(exponentOf(curve((size) => 3 * size))).toBeCloseTo(1);
  expect(exponentOf(curve((size) => size * size))).toBeCloseTo(2);
  // The cost of an empty request hides the growth of small ones.
  expect(exponentOf(curve((size) => (size < 100 ? 50 : size / 2)))).toBeCloseTo(1);
  expect(exponentOf([{ size: 1, cost: 1 }])).toBeNaN();
});

test("twice as dear and half as dear are as far from 1", () => {
  expect(geometricMean([2, 0.5])).toBeCloseTo(1);
  expect(geometricMean([0.8, 0.8])).toBeCloseTo(0.8);
});

describe("the short benchmark", () => {
  const report = (w1: number): ShortReport => {
    const costs = (ratio: number) => ({ ours: ratio, fastify: 1, ratio });
    return { w1: costs(w1), w2: costs(1), w4: costs(1) };
  };

  test("fails beyond 15 %, and where there is no figure", () => {
    const before = { w1: 1, w2: 1, w4: 1 };
    expect(worse(report(1.14), before)).toEqual([]);
    expect(worse(report(1.16), before)).toEqual(["w1"]);
    expect(isWorse(Number.NaN, 1)).toBe(true);
  });

  test("of three reports the middle one counts, for each workload", () => {
    expect(medianOf([report(3), report(1), report(2)]).w1.ratio).toBe(2);
  });
});
