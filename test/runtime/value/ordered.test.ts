import { expect, test } from "vitest";
import { isReordered, membersOf } from "#runtime/value/ordered.ts";

test.each<[readonly string[], boolean]>([
  [["b", "1"], true],
  [["2", "1"], true],
  [["1", "2", "b"], false],
  [["b", "01", "-1", "1.5", "4294967295"], false],
  [["b", "4294967294"], true],
  [["__proto__", "a"], false],
  [[], false],
])("an object has the names %j in another order: %s", (names, is) => {
  expect(isReordered(names)).toBe(is);
});

test("members are in the order in which they are written", () => {
  expect(membersOf({ b: 1, a: 2 })).toEqual([
    ["b", 1],
    ["a", 2],
  ]);
  expect(
    membersOf([
      ["b", 1],
      ["1", 2],
    ]),
  ).toEqual([
    ["b", 1],
    ["1", 2],
  ]);
});
