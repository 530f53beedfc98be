import { describe, expect, test } from "vitest";
import { join } from "#runtime/features/filters/join.ts";
import { prepare, prepareNative, replace_values } from "#runtime/features/transforms/replace_values.ts";
import type { Json } from "#runtime/value/json.ts";

// A few texts of data cannot become gigabytes (spec/surfaces 20).

const act = { run: { host: { monotonic: () => performance.now() } }, signal: new AbortController().signal };
const limit = "output is over the limit of 67108864 characters";
const half = "b".repeat(33_554_432);

describe.each<[string, (new_str: string, find: string) => ReturnType<typeof prepare>]>([
  ["a text", (new_str, find) => prepare({ target_value: "t", find_str: find, new_str })],
  ["one of several texts", (new_str, find) => prepare({ target_value: "t", values: [find, "zzzz"], new_str })],
  ["a pattern", (new_str, find) => prepare({ target_value: "t", regex: find, new_str })],
  ["a pattern of JavaScript", (new_str, find) => prepareNative({ target_value: "t", regex: find, new_str }, new RegExp(find, "u"))],
])("%s is replaced by a long one", (_, ready) => {
  const replaced = async (t: Json, new_str: string, find = "a"): Promise<Json> => replace_values({ t }, ready(new_str, find), act);

  test("as often as there is room", async () => {
    expect(await replaced("xaxa", half.slice(1))).toEqual({ t: `x${half.slice(1)}x${half.slice(1)}` });
    await expect((async () => replaced("xaxa", half))()).rejects.toThrow(limit);
  });

  test("in all texts together", async () => {
    await expect((async () => replaced(["a", "a", "a"], half))()).rejects.toThrow(limit);
    await expect((async () => replaced("a".repeat(250_000), "b".repeat(1_000)))()).rejects.toThrow(limit);
  });

  test("and only matches count", async () => {
    const rows = Array.from({ length: 1_000 }, () => "a".padEnd(1_000, "x"));
    const out = (await replaced(rows, "b".repeat(60_000))) as { t: string[] };
    expect(out.t.length).toBe(1_000);
    expect(out.t.every(({ length }) => length === 60_999)).toBe(true);
  });
});

test("the separators of a list have a bound", () => {
  const list = Array.from({ length: 1_024 }, () => "a");
  expect(join(list, "-".repeat(65_536))?.length).toBe(1_024 + 1_023 * 65_536);
  expect(() => join([...list, "a"], "-".repeat(65_536))).toThrow(`filter join: ${limit}`);
});
