import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema, ShapedArguments } from "#runtime/features/feature.ts";
import { fits } from "#runtime/shapes/fits.ts";
import { any, type Shape, shapeOf } from "#runtime/shapes/shape.ts";
import type { Json } from "#runtime/value/json.ts";
import { casesOf, type FeatureCase, type Loaded, loadFeature } from "../harness/feature-cases.ts";
import { called } from "../harness/feature-paths.ts";
import { fixturesOf } from "../harness/folders.ts";
import { marked, others } from "../harness/random/arguments.ts";
import { fitting, rowShape, shape as someShape, wider } from "../harness/random/shapes.ts";
import { draws, seed } from "../harness/rules/words.ts";

// Law `feature-shapes`: for all data that fit a shape, the result of a transform fits the shape that its record gives, or the transform
// fails. The arguments are as in a config: known, or with markers in some places.

/** Transforms without a shape of the result, each with the reason. */
const open: Readonly<Record<string, string>> = {
  extract_with_jq: "a filter is a program: its result is what jq makes of the data",
};

/** Slow transforms, which have fewer draws: they work in a thread, or are slow on purpose. */
const slow: readonly string[] = ["bcrypt", "extract_with_css", "parse_pdf", "parse_xlsx"];

type ShapeOf = NonNullable<Loaded["shape"]>;

/** One use of a transform: a case with data that fit a shape, and what is known of its arguments. */
interface Use {
  readonly one: FeatureCase;
  readonly data: Shape;
  readonly args: ShapedArguments<Json>;
}

/** A use whose result does not fit the shape that the record gives. */
interface Wrong extends Use {
  readonly result: Json;
  readonly said: Shape;
}

/** Random uses. The arguments are those of a case, or others. The data are those of the case, others of its shape, or of any shape. */
function usesOf(one: FeatureCase, schema: JsonSchema): fc.Arbitrary<Use> {
  const given = fc.oneof({ weight: 2, arbitrary: fc.constant(one.args) }, others(one.args, schema));
  const shapes = fc.oneof({ weight: 3, arbitrary: wider(shapeOf(one.data)) }, rowShape, someShape);
  return fc.tuple(given, shapes).chain(([args, data]) => {
    const known = fc.constant<ShapedArguments<Json>>({ known: args, shape: shapeOf(args) });
    const shaped = fc.oneof(
      known,
      marked(args).map((shape) => ({ shape })),
    );
    const value = fits(one.data, data) ? fc.oneof(fc.constant(one.data), fitting(data)) : fitting(data);
    return fc
      .record({ value, args: shaped })
      .filter((drawn) => fits(drawn.value, data))
      .map((drawn) => ({ one: { ...one, args, data: drawn.value }, data, args: drawn.args }));
  });
}

/** Runs a transform and compares its result with the shape. Undefined when the transform fails. */
async function resultOf({ one, data, args }: Use, feature: Loaded, shapeFrom: ShapeOf): Promise<{ wrong?: Wrong } | undefined> {
  const said = shapeFrom(data, args);
  const left = await called(one, "transforms", feature);
  if (!("gives" in left)) return undefined;
  const result: Json = JSON.parse(left.gives);
  return fits(result, said) ? {} : { wrong: { one, data, args, result, said } };
}

/** Draws uses of a transform until one is wrong. */
async function firstWrong(
  name: string,
  feature: Loaded,
  shapeFrom: ShapeOf,
  runs: number,
): Promise<{ wrong: Wrong | undefined; results: number }> {
  let results = 0;
  let wrong: Wrong | undefined;
  const use = fc.constantFrom(...casesOf("transforms", name)).chain((one) => usesOf(one, feature.schema));
  const property = fc.asyncProperty(use, async (drawn) => {
    const outcome = await resultOf(drawn, feature, shapeFrom);
    if (outcome !== undefined) results += 1;
    wrong = outcome?.wrong ?? wrong;
    return outcome?.wrong === undefined;
  });
  const { failed, errorInstance } = await fc.check(property, { numRuns: runs, seed });
  if (failed && wrong === undefined) throw errorInstance;
  return { wrong, results };
}

const names = fixturesOf("transforms");

test("every transform says the shape of its result, or why nobody can", async () => {
  const silent = [];
  for (const name of names) if ((await loadFeature("transforms", name)).shape === undefined) silent.push(name);
  expect(silent).toEqual(Object.keys(open));
  console.log(
    `${names.length - silent.length} of ${names.length} transforms say a shape; open: ${silent.map((name) => `${name} (${open[name]})`).join(", ")}`,
  );
});

describe.each(names.filter((name) => !Object.hasOwn(open, name)))("%s", (name) => {
  test("its cases", async () => {
    const feature = await loadFeature("transforms", name);
    if (feature.shape === undefined) return;
    for (const one of casesOf("transforms", name)) {
      for (const data of [shapeOf(one.data), any]) {
        const args = { known: one.args, shape: shapeOf(one.args) };
        expect.soft((await resultOf({ one, data, args }, feature, feature.shape))?.wrong, one.name).toBeUndefined();
      }
    }
  });

  // Two thousand draws of a transform that works in a thread take minutes on a busy machine.
  test("at random", { timeout: 900_000 }, async () => {
    const feature = await loadFeature("transforms", name);
    if (feature.shape === undefined) return;
    const { wrong, results } = await firstWrong(
      name,
      feature,
      feature.shape,
      slow.includes(name) ? Math.max(60, draws(100)) : draws(2_000),
    );
    expect(wrong).toBeUndefined();
    expect(results).toBeGreaterThan(0);
  });
});

test("a wrong shape is found", async () => {
  const feature = await loadFeature("transforms", "rename_keys");
  const { wrong } = await firstWrong("rename_keys", feature, (data) => data, 300);
  expect(wrong?.result).not.toEqual(wrong?.one.data);
});
