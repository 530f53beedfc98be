import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { randomText } from "#runtime/keys/random-text.ts";

it("draws bytes beyond the last whole multiple of the pool again", () => {
  const asked: number[] = [];
  const given = [[0, 249, 250, 255], [9, 252], [11]];
  const text = randomText("0123456789", 4, (length) => {
    asked.push(length);
    return Buffer.from(given[asked.length - 1] ?? []);
  });
  expect(text).toBe("0991");
  expect(asked).toEqual([4, 2, 1]);
});

it("takes each character as often as any other", () => {
  const pool = "abcdefghijklmnopqrstuvwxyz0123456789!?-";
  const drawn = 390_000;
  const counts = Map.groupBy(randomText(pool, drawn, randomBytes), (character) => character);
  expect(counts.size).toBe(pool.length);
  // 10,000 each are expected; ten times the standard deviation is 987.
  for (const [character, { length }] of counts) expect(Math.abs(length - drawn / pool.length), character).toBeLessThan(1000);
});

it("knows pools of any size", () => {
  expect(randomText("x", 3, randomBytes)).toBe("xxx");
  expect(new Set(randomText("ab", 100, randomBytes))).toEqual(new Set("ab"));
});
