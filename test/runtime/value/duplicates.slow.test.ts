import { expect, test } from "vitest";
import { duplicateItems } from "#runtime/value/duplicates.ts";
import { equal } from "#runtime/value/equal.ts";
import type { Json } from "#runtime/value/json.ts";

/** The meaning of the keyword: all pairs are compared. */
function byPairs(list: readonly Json[]): { readonly i: number; readonly j: number } | null {
  for (const [i, item] of list.entries()) {
    const j = list.findIndex((other) => equal(item, other));
    if (j < i) return { i, j };
  }
  return null;
}

/** Values of which many look alike and few are equal. */
const values: readonly Json[] = [
  ...[0, -0, 1, -1, 1.5, 1e300, true, false, null, "", "0", "1", "true", "null", '"', "[]", "{}", "\ud800", "é"],
  ...[
    [],
    [[]],
    [null],
    [0],
    ["0"],
    {},
    { a: 1 },
    { a: "1" },
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    { a: { d: 1, c: [2] } },
    { a: { c: [2], d: 1 } },
  ],
  JSON.parse('{"__proto__":1}'),
  JSON.parse('{"__proto__":2}'),
];

test("each pair of values is equal as JSON says", () => {
  for (const a of values) for (const b of values) expect(duplicateItems([a, b]), JSON.stringify([a, b])).toEqual(byPairs([a, b]));
});

test.each([
  ["numbers", (i: number): Json => i],
  ["numbers with halves", (i: number): Json => i / 2],
  ["texts", (i: number): Json => `${i}`],
  ["objects", (i: number): Json => ({ a: i })],
  ["objects with members in two orders", (i: number): Json => (i % 2 === 0 ? { a: i, b: 1 } : { b: 1, a: i })],
  ["lists", (i: number): Json => [i]],
  ["all kinds", (i: number): Json => [i, `${i}`, { i }, [i]][i % 4] ?? null],
])("of a million different %s the one that comes twice is found", (_, item) => {
  const list = Array.from({ length: 1_000_000 }, (_, i) => item(i));
  expect(duplicateItems(list)).toBe(null);
  expect(duplicateItems([...list, item(500_001), item(7)])).toEqual({ i: 1_000_000, j: 500_001 });
});

test("order of members does not count in a long list", () => {
  const list: Json[] = Array.from({ length: 20_000 }, (_, i) => ({ a: i, b: i }));
  expect(duplicateItems([...list, { b: 15_000, a: 15_000 }])).toEqual({ i: 20_000, j: 15_000 });
});

test("behind many others, where hashes are asked first, only what is equal as JSON says counts", () => {
  const others: Json[] = Array.from({ length: 10_000 }, (_, i) => ({ other: i }));
  const different = values.filter((value, i) => values.findIndex((other) => equal(value, other)) === i);
  expect(different.length).toBeGreaterThan(25);
  expect(duplicateItems([...others, ...different])).toBe(null);
  for (const value of values) {
    const j = others.length + different.findIndex((other) => equal(value, other));
    const list = [...others, ...different, value];
    expect(duplicateItems(list), JSON.stringify(value)).toEqual({ i: list.length - 1, j });
  }
});
