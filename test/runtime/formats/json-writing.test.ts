import { expect, test } from "vitest";
import { isLarge, jsonWork } from "#runtime/formats/json-writing.ts";
import { atOnce } from "#runtime/threads/slices.ts";
import type { Json } from "#runtime/value/json.ts";

const written = (value: Json): string => atOnce(jsonWork(value, Number.POSITIVE_INFINITY));

const long = "é\n\ud800".repeat(150_000);

const deep = (levels: number): Json => (levels === 0 ? long : levels % 2 === 0 ? [1, deep(levels - 1)] : { a: null, b: deep(levels - 1) });

test.each<[string, Json]>([
  ["a short value", { a: [1, "x", null] }],
  ["a long text", long],
  ["numbers", Array.from({ length: 100_000 }, (_, i) => i / 7)],
  ["long texts", [long, 1, long, [], {}]],
  ["rows", Array.from({ length: 50_000 }, (_, i) => ({ id: i, name: `n${i}`, tags: ["a"] }))],
  ["names", Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k"${i}`, i]))],
  ["a name of a prototype", JSON.parse(`{"__proto__":${JSON.stringify([long])},"1":2}`)],
  ["many levels", deep(400)],
])("%s is written as JSON.stringify writes it", (_, value) => {
  expect(written(value) === JSON.stringify(value)).toBe(true);
});

test("members without a value are left out, and gaps of lists are null", () => {
  const value = { a: undefined, b: [undefined, long], c: undefined } as unknown as Json; // a feature may leave such members
  expect(written(value) === JSON.stringify(value)).toBe(true);
  const none = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, undefined])) as unknown as Json;
  expect(written(none)).toBe("{}");
});

test("a value of a list that is there thousands of times is written in steps, up to the limit", () => {
  const items = Array.from({ length: 4_000 }, () => 1);
  const data = items.map((value) => ({ value, order: { items } }));
  expect(isLarge(data)).toBe(true);
  const work = jsonWork(data, 1_000_000);
  let steps = 0;
  expect(() => {
    while (work.next().done !== true) steps += 1;
  }).toThrow("answer is over the limit of 1000000 characters");
  expect(steps).toBeGreaterThan(20);
});

test("few values and short texts are not large", () => {
  expect(isLarge(Array.from({ length: 1_000 }, (_, i) => ({ id: i, name: "x".repeat(100) })))).toBe(false);
});
