import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filters } from "#generated/features.ts";
import { fits } from "#runtime/shapes/fits.ts";
import { type Shape, shapeOf, string } from "#runtime/shapes/shape.ts";
import { Failure, Reject } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { fitting, rowShape, shape as someShape } from "../harness/random/shapes.ts";
import { draws } from "../harness/rules/words.ts";

// Law `feature-shapes`, for filters of markers: the result of a filter for a value of a shape fits the shape that its record gives.

/** Filters without a shape of the result, each with the reason. */
const open: Readonly<Record<string, string>> = {
  leaf: "its path comes from data",
  escape_operators: "it renames keys, and is the last thing before a document is sent",
};

/** Arguments of filters; the test takes them as known values, or as values of a known type. */
const argument = fc.constantFrom<Json[]>("a", "a.b", "0", "items[0].id", "items[*].a", "items.count()", "-", "__proto__", 0, -1, 1, null);

test("every filter says the shape of its result, or why nobody can", () => {
  const silent = Object.entries(filters).flatMap(([name, { shape }]) => (shape === undefined ? [name] : []));
  expect(silent.sort()).toEqual(Object.keys(open).sort());
});

describe.each(Object.entries(filters).filter(([name]) => !Object.hasOwn(open, name)))("%s", (_, { run, shape: give }) => {
  test("at random", () => {
    if (give === undefined) return;
    let results = 0;
    const data = fc.oneof(rowShape, someShape).chain((shape) => fc.tuple(fc.constant(shape), fitting(shape)));
    const property = fc.property(data, argument, fc.boolean(), ([shape, value], given, isKnown) => {
      if (!fits(value, shape)) return true;
      const known: Shape = isKnown || typeof given !== "string" ? shapeOf(given) : string;
      const result = resultOf(() => run(value, [given], 0));
      if (result === undefined) return true;
      results += 1;
      return fits(result, give(shape, [known]));
    });
    fc.assert(property, { numRuns: draws(3_000) });
    expect(results).toBeGreaterThan(0);
  });
});

/** The result of a filter; undefined when the filter refuses the value. */
function resultOf(run: () => Json): Json | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Failure || error instanceof Reject) return undefined;
    throw error;
  }
}
