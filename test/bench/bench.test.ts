import { describe, expect, test } from "vitest";
import { planTexts } from "../../compiler/pipeline.ts";
import { isReached } from "./goals.ts";
import { differences, median, quantile, ratios } from "./statistics.ts";
import { syntheticConfigs } from "./synthetic.ts";
import { planService } from "./systems.ts";
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
