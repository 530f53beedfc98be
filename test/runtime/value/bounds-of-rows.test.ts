import { expect, test } from "vitest";
import { aggregate, prepare as prepareSums } from "#runtime/features/transforms/aggregate.ts";
import { extract_array, prepare as prepareArray } from "#runtime/features/transforms/extract_array.ts";
import { flatten, prepare as prepareFlat } from "#runtime/features/transforms/flatten.ts";
import { group_by, prepare as prepareGroups } from "#runtime/features/transforms/group_by.ts";
import { createHost } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { at } from "#runtime/value/values.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";

// Bounds of work that data would make as large as they like.

const worked = { run: { host: { monotonic: () => 0 } }, signal: new AbortController().signal };

const rows = (count: number): Json[] => Array.from({ length: count }, (_, i) => ({ a: i }));

test("group_by makes 200,000 groups of a field and no more", async () => {
  const groups = await group_by(rows(200_000), prepareGroups(["a"]), worked);
  expect(Object.keys(groups ?? {})).toHaveLength(200_000);
  expect(() => group_by(rows(200_001), prepareGroups(["a"]), worked)).toThrow("more than 200000 groups");
});

test("aggregate makes 200,000 groups and no more", async () => {
  const sums = await aggregate(rows(200_000), prepareSums({ group_by: ["a"] }), worked);
  expect(at(sums, "groups")).toHaveLength(200_000);
  expect(() => aggregate(rows(200_001), prepareSums({ group_by: ["a"] }), worked)).toThrow("more than 200000 groups");
});

test.each([false, true])("only_new takes 100,000 records and no more (interpret: %s)", async (interpret) => {
  const config = planned(
    "name: t\ninterfaces: { t: { output: cli, actions: [{ name: A, input: a|body|, only_new: { key: k, id: . } }] } }\n",
  );
  const host = createHost({ env: {} });
  const { code } = await printOne(config, { interpret });
  const printed = await evaluate(code);
  const result = async (body: Json): Promise<Json> =>
    (await runOnce(printed, "t", { body, raw_body: null }, host)).outcomes[0]?.error ?? null;
  const ids = Array.from({ length: 100_001 }, (_, i) => i);
  expect(await result(ids)).toBe("only_new takes at most 100000 records, got 100001");
  expect(await result(ids.slice(1))).toBe(null);
  await host.close();
});

test("names that flatten joins are bounded", () => {
  let deep: Json = Array(10_000).fill(1);
  for (let i = 0; i < 100; i++) deep = { ["n".repeat(100)]: deep };
  expect(() => flatten(deep, prepareFlat({ key_separator: "." }), worked)).toThrow("names are over the limit of 67108864 characters");
});

test("equal values are found whatever the order of their members, at any depth", async () => {
  let [one, other]: [Json, Json] = [1, 1];
  for (let i = 0; i < 100; i++)
    [one, other] = [
      { a: 1, b: [one] },
      { b: [other], a: 1 },
    ];
  const data: Json = [one, other, 1, "1", true, "true", null, "null", [1], "[1]", 1];
  expect(await extract_array(data, prepareArray({ dedupe: true }), worked)).toEqual([one, 1, "1", true, "true", null, "null", [1], "[1]"]);
});
