import { expect, test } from "vitest";
import { aggregate, prepare as aggregation } from "#runtime/features/transforms/aggregate.ts";
import { flatten, prepare as flattening } from "#runtime/features/transforms/flatten.ts";
import { group_by, prepare as grouping } from "#runtime/features/transforms/group_by.ts";
import { from_entries, object, with_entries } from "#runtime/languages/jq/objects.ts";
import { start } from "#runtime/languages/jq/signals.ts";
import type { Json } from "#runtime/value/json.ts";

// Names that V8 knows by their length alone: thousands of them take the square of their number (spec/surfaces 20).

const act = { run: { host: { monotonic: () => 0 } }, signal: new AbortController().signal };
const [short, long] = ["k".repeat(16_383), "k".repeat(16_384)];
const tooLong = "a name is over the limit of 16383 characters";

test.each<[string, (name: string) => unknown]>([
  ["flatten", (name) => flatten({ [name.slice(2)]: { a: 1 } }, flattening({ key_separator: "." }), act)],
  ["flatten with a prefix", (name) => flatten({ a: 1 }, flattening({ key_separator: ".", prefix: name.slice(2) }), act)],
  ["group_by", (name) => group_by([{ a: name }], grouping(["a"]), act)],
  ["group_by of other values", (name) => group_by([{ a: [name.slice(4)] }], grouping(["a"]), act)],
  ["aggregate", (name) => aggregate([{ a: name }], aggregation({ group_by: ["a"] }), act)],
  ["aggregate by two", (name) => aggregate([{ a: name.slice(6), b: 1 }], aggregation({ group_by: ["a", "b"] }), act)],
])("%s", (_, make) => {
  expect(() => make(short)).not.toThrow();
  expect(() => make(`${long}x`)).toThrow(tooLong);
});

test("a printed filter leaves them to jq", () => {
  // The steps of a filter that ran before, in another test, do not count.
  start();
  const entries = (name: string): Json => [{ key: name, value: 1 }];
  const whole = (name: string) => [
    () => object([name, 1]),
    () => from_entries(entries(name)),
    () => with_entries({ a: 1 }, () => ({ key: name, value: 1 })),
  ];
  for (const make of whole(short)) expect(make()).toEqual({ [short]: 1 });
  for (const make of whole(long)) {
    let thrown: unknown;
    try {
      make();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeDefined();
  }
});
