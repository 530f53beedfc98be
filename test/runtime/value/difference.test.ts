import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare_value, prepare } from "../../../runtime/features/matchers/compare_value.ts";
import { difference } from "../../../runtime/paths/difference.ts";
import { equal } from "../../../runtime/value/equal.ts";
import type { Json } from "../../../runtime/value/json.ts";

const json = fc.jsonValue() as fc.Arbitrary<Json>;
const nothing: ReadonlySet<string> = new Set();

it("there is one where values are not equal, and nowhere else", () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(difference(a, a, nothing)).toBeUndefined();
      expect(difference(a, b, nothing) === undefined).toBe(equal(a, b));
    }),
  );
});

it.each<[Json, Json, string | undefined]>([
  [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }, "a.b[1].c"],
  [{ x: 1, y: 1 }, { y: 2, x: 2 }, "y"],
  [{ "a.b": 1 }, { "a.b": 2 }, '["a.b"]'],
  [{ 'say "hi"': 1 }, {}, '["say \\"hi\\""]'],
  [[1, 2], [1], "[1]"],
  [{ a: null }, {}, "a"],
  [1, "1", "$"],
])("%j and %j: %s", (actual, expected, place) => {
  expect(difference(actual, expected, nothing)).toBe(place);
});

describe("compare_value", () => {
  it("compares with a null that is written, and never with a marker that is unset", () => {
    expect(compare_value(null, prepare({}))).toBe(true);
    expect(compare_value(null, prepare({ target: null }))).toBe("expected value is not set");
    expect(compare_value({}, prepare({ target: {}, ignore_fields: null }))).toBe("expected value is not set");
  });

  it("cuts a long place", () => {
    expect(compare_value({}, prepare({ target: { ["k".repeat(500)]: 1 } }))).toBe(
      `expected target to match, differs at ${"k".repeat(200)}...`,
    );
  });
});
