import fc from "fast-check";
import { expect, test } from "vitest";
import { fits } from "#runtime/shapes/fits.ts";
import type { Shape } from "#runtime/shapes/shape.ts";
import type { Json, Step } from "#runtime/value/json.ts";
import { follow, followEach } from "../../../compiler/5-analyse/shapes/follow.ts";
import { lit } from "../../../compiler/6-print/code.ts";
import { cut } from "../../../compiler/6-print/types/cut.ts";
import { moduleTypes, shapeType } from "../../../compiler/6-print/types/shape-type.ts";
import { typeFaults } from "../../../compiler/types/faults.ts";
import { nothingUsed } from "../../harness/compile.ts";
import { fitting, name, shape } from "../../harness/random/shapes.ts";
import { draws, seed } from "../../harness/rules/words.ts";

// The printed type of a shape takes every value of the shape, and every path that `follow` does not call missing; what it refuses is
// missing for `follow`, too, so that `check --types` fails no configuration that `check` accepts.

interface Drawn {
  readonly shape: Shape;
  readonly value: Json | undefined;
  readonly path: readonly Step[];
}

const step = fc.oneof({ weight: 3, arbitrary: name }, fc.constantFrom<Step[]>(0, -1, 7, "0", "length"));
const drawn: fc.Arbitrary<Drawn> = shape.chain((of) =>
  fc.record({ shape: fc.constant(of), value: fitting(of), path: fc.array(step, { minLength: 1, maxLength: 4 }) }),
);

/** The module with a claim and a reading of each draw, a line each. */
const moduleOf = (all: readonly Drawn[]): string =>
  [
    'import type { Known } from "#runtime/value/known.ts";',
    'import * as pw from "pipewright/runtime";',
    ...all.flatMap(({ shape, value, path }, i) => {
      const type = shapeType(cut(shape), moduleTypes).replaceAll("\n", " ");
      const steps = path.map((each) => lit(each)).join(", ");
      return [
        `type T${i} = ${type}; declare const k${i}: Known<T${i}>;`,
        // TypeScript holds the function that objects inherit against a member of this name.
        value !== undefined && fits(value, shape) && !`${type}${lit(value)}`.includes("constructor")
          ? `export const v${i}: T${i} = ${lit(value)};`
          : "",
        `pw.at(k${i}, ${steps});`,
        `pw.each(k${i}, ${steps});`,
        `export const j${i}: pw.Json = k${i};`,
      ];
    }),
  ].join("\n");

const checked = (text: string) =>
  typeFaults([{ file: "a.yaml", name: "a", sources: [], uses: nothingUsed, runtime: [], map: "", code: text }]).map(({ line, reason }) => ({
    line,
    reason,
    text: text.split("\n")[line - 1] ?? "",
  }));

const shapes = draws(2_000);

test(`types of ${shapes} random shapes, seed ${seed}`, { timeout: 240_000 + shapes * 200 }, () => {
  const all = fc.sample(drawn, { numRuns: shapes, seed });
  const faults = checked(moduleOf(all));
  const refused = { at: 0, each: 0 };
  for (const { reason, text } of faults) {
    const [, op, index] = /^pw\.(at|each)\(k(\d+),/.exec(text) ?? [];
    const draw = all[Number(index)];
    if (draw === undefined || (op !== "at" && op !== "each")) throw new Error(`${reason}: ${text}`);
    refused[op] += 1;
    const { shape, path } = draw;
    const { missing } = op === "at" ? follow(cut(shape), path) : followEach(cut(shape), path);
    expect(missing, `${reason}: ${text}, ${shapeType(cut(shape), moduleTypes)}`).toBeDefined();
  }
  // The type checker does refuse paths.
  expect(refused.at).toBeGreaterThan(all.length / 20);
  expect(refused.each).toBeGreaterThan(all.length / 50);
});

test("a wrong step is named", () => {
  const text = [
    'import type { Known } from "#runtime/value/known.ts";',
    'import * as pw from "pipewright/runtime";',
    "declare const row: Known<{ id: string; tags: { name: string }[] }>;",
    'pw.at(row, "tags", 0, "name");',
    'pw.at(row, "tgas", 0);',
    'pw.at(row, "tags", 0, "nmae");',
    'pw.at(row, "id", "length");',
  ].join("\n");
  expect(checked(text).map(({ line, reason }) => `${line}: ${reason.split(". ")[0]}`)).toEqual([
    `5: Argument of type 'string' is not assignable to parameter of type 'NoMember<"tgas">'`,
    `6: Argument of type 'string' is not assignable to parameter of type 'NoMember<"nmae">'`,
    `7: Argument of type 'string' is not assignable to parameter of type 'NoMember<"length">'`,
  ]);
});
