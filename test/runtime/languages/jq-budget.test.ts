import { expect, test } from "vitest";
import { add } from "#runtime/languages/jq/lists.ts";
import { merged } from "#runtime/languages/jq/objects.ts";
import { start } from "#runtime/languages/jq/signals.ts";
import type { JsonObject } from "#runtime/value/json.ts";

// Steps of compiled filters: one that takes more is left to jq, in a thread (spec/jq-jsonpath-regex A.4.5).

test("add of many objects takes as many steps as they have members", () => {
  const objects = Array.from({ length: 8_000 }, (_, i) => ({ [`k${i}`]: i }));
  start();
  expect(Object.keys(add(objects) as JsonObject)).toHaveLength(8_000);
});

test("add of objects passes over null, and the last of equal names counts", () => {
  start();
  expect(add([{ a: 1, b: 1 }, null, { b: 2 }, { c: 3 }, null])).toEqual({ a: 1, b: 2, c: 3 });
});

test("a copied member takes forty steps", () => {
  const wide: JsonObject = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]));
  start();
  for (let i = 0; i < 250; i++) merged(wide, {});
  expect(() => merged(wide, {})).toThrow();
});
