import { expect, test } from "vitest";
import { parseJson, parseJsonLines, readJson, readJsonLines } from "#runtime/formats/json-text.ts";

test.each([
  ['{"a":[1e999]}', undefined],
  ["-1e400", undefined],
  ["9".repeat(400), undefined],
  [`[${"9".repeat(220)}e99]`, undefined],
  [`${"9".repeat(220)}E+99`, undefined],
  ["1e0400", undefined],
  ['"1e999"', "1e999"],
  ['{"a":1e300,"b":"1e999"}', { a: 1e300, b: "1e999" }],
  ["1e-999", 0],
  ["\uFEFF[1]", [1]],
  ["[".repeat(200) + "]".repeat(200), undefined],
  ["{", undefined],
])("%s", (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});

const list = (count: number, item: (i: number) => string): string => `[${Array.from({ length: count }, (_, i) => item(i)).join(",")}]`;

test.each<[string, string, string | undefined]>([
  ["no JSON", "{", undefined],
  ["levels", "[".repeat(129) + "]".repeat(129), "nested too deeply: more than 128 levels"],
  ["levels without an end", "[".repeat(1_000_000), "nested too deeply: more than 128 levels"],
  ["levels of objects", `${'{"a":'.repeat(129)}1${"}".repeat(129)}`, "nested too deeply: more than 128 levels"],
  ["digits", "1".repeat(1_000_000), "holds a number that is too large"],
  ["an exponent", '{"a":[1e999]}', "holds a number that is too large"],
  ["an exponent behind many numbers", `[${"1,".repeat(40_000)}-1e999]`, "holds a number that is too large"],
  ["an exponent of one digit behind many", `[${"1,".repeat(40_000)}${"9".repeat(301)}e9]`, "holds a number that is too large"],
  ["names", list(230_000, (i) => `{"${i}" :1}`), "more than 200000 different names"],
  ["objects", list(1_000_000, () => "{}"), "more than 1000000 objects and lists"],
])("says what is wrong: %s", (_, text, reason) => {
  expect(readJson(text)).toEqual({ reason });
});

test.each<[string, string]>([
  ["names that come again", list(300_000, (i) => `{"${i % 1_000}":1}`)],
  ["objects", list(999_999, () => "{}")],
  ["brackets, quotes and colons in texts", list(100_000, (i) => `"\\"[{:${i}\\\\"`)],
  ["the deepest nesting beside much text", `["${"x".repeat(100_000)}",${"[".repeat(127)}${"]".repeat(127)}]`],
])("reads as much as the bound: %s", (_, text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test("lines are bounded together, and one by one", () => {
  expect(parseJsonLines("1\n".repeat(1_000_000))).toHaveLength(1_000_000);
  expect(readJsonLines("1\n".repeat(1_000_001))).toEqual({ reason: "more than 1000000 objects and lists" });
  expect(readJsonLines("1\n1e999")).toEqual({ reason: "holds a number that is too large" });
  expect(readJsonLines("1\n{")).toEqual({ reason: undefined });
});
