import { expect, test } from "vitest";
import { parseJson } from "#runtime/lib/json-text.ts";

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
