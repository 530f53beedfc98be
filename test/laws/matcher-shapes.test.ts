import { describe, expect, test } from "vitest";
import { matchers } from "#generated/features.ts";
import type { AnyMatcher } from "#runtime/features/feature.ts";
import { fits } from "#runtime/shapes/fits.ts";
import { any, type Shape, shapeOf, union } from "#runtime/shapes/shape.ts";
import type { Json } from "#runtime/value/json.ts";
import { casesOf, type FeatureCase, loadFeature } from "../harness/feature-cases.ts";
import { called } from "../harness/feature-paths.ts";
import { fixturesOf } from "../harness/folders.ts";

// Law `matcher-shapes`: a value that passes a matcher always fits the shape that its record gives for passing values.

const table: Readonly<Record<string, AnyMatcher>> = matchers;

const usual: readonly Json[] = [null, true, false, 0, 5, 1.5, "", "5", "true", "null", "[]", "a", [], ["a", 5], {}, { a: 1 }];

/** The shapes that the matcher gives for targets of several shapes, with a known operand and an unknown one. */
const said = (name: string, { data, args, options }: FeatureCase): readonly Shape[] =>
  [any, shapeOf(data), union(...usual.map(shapeOf), shapeOf(data))].flatMap((target) =>
    (options.case_insensitive === true ? [undefined] : [args, undefined]).map((operand): Shape => {
      return table[name]?.shape?.(target, operand) ?? target;
    }),
  );

describe.each(fixturesOf("matchers").filter((name) => table[name]?.shape !== undefined))("%s", (name) => {
  test("what passes is in its shape", async () => {
    const feature = await loadFeature("matchers", name);
    const wrong: FeatureCase[] = [];
    let passed = 0;
    for (const one of casesOf("matchers", name).filter(({ expected }) => "detail" in expected)) {
      for (const data of [one.data, ...usual]) {
        const left = await called({ ...one, data }, "matchers", feature);
        if (!("detail" in left) || left.detail !== null) continue;
        passed += 1;
        if (!said(name, { ...one, data }).every((shape) => fits(data, shape))) wrong.push({ ...one, data });
      }
    }
    expect(wrong).toEqual([]);
    expect(passed).toBeGreaterThan(0);
  });
});
