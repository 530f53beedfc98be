import { expect, test } from "vitest";
import { secretsIn } from "#runtime/capture/exchanges.ts";
import type { Json } from "#runtime/value/json.ts";

// How much is looked for as a secret of one record (spec/surfaces 16, 20).

const texts = (count: number): Json[] => Array.from({ length: count }, (_, i) => String(1_000_000 + i));

test("what stands under the name of a secret, at any depth", () => {
  expect(secretsIn([{ token: [{ a: "of-a" }, 1234567], n: "x", inner: { password: "of-inner" } }])?.toSorted()).toEqual([
    1234567,
    "of-a",
    "of-inner",
  ]);
});

test.each<[string, Json, Json]>([
  ["texts of a secret", { token: texts(500) }, { token: texts(501) }],
  ["texts of several", { token: texts(250), key: texts(250) }, { token: texts(250), key: texts(251) }],
  ["lines", { token: "line\n".repeat(499) }, { token: "line\n".repeat(500) }],
  ["characters", { token: "x".repeat(16_384) }, { token: ["x".repeat(16_000), "y".repeat(385)] }],
  ["values in a secret", { token: Array(49_999).fill(null) }, { token: Array(50_000).fill(null) }],
  ["values", { n: Array(49_999).fill("1") }, { n: Array(50_000).fill("1") }],
])("at most so many %s", (_, most, more) => {
  expect(secretsIn([most])).toBeDefined();
  expect(secretsIn([more])).toBeUndefined();
});
