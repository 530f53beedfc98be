import fc from "fast-check";
import { expect, test } from "vitest";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import type { Json, JsonObject, Step } from "#runtime/value/json.ts";
import { follow, followEach } from "../../../compiler/5-analyse/shapes/follow.ts";
import { lit } from "../../../compiler/6-print/code.ts";
import { Names } from "../../../compiler/6-print/names.ts";
import { isExact, schemaTypes } from "../../../compiler/6-print/types/schema-type.ts";
import { typeFaults } from "../../../compiler/types/faults.ts";
import { nothingUsed } from "../../harness/compile.ts";
import { name } from "../../harness/random/shapes.ts";
import { draws, seed } from "../../harness/rules/words.ts";

// The type of a body that a schema takes refuses no path but those that `check` calls missing, where the printer writes the type.

const word = fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array");
const maybe = (part: fc.Arbitrary<Json>) => fc.option(part, { nil: undefined, freq: 2 });

const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const inner = tie("schema") as fc.Arbitrary<Json>; // as the type above says
  const several = fc.array(inner, { minLength: 1, maxLength: 2 });
  const parts = {
    type: maybe(fc.oneof({ weight: 3, arbitrary: word }, fc.uniqueArray(word, { minLength: 1, maxLength: 3 }))),
    properties: maybe(fc.dictionary(name, inner, { maxKeys: 3 })),
    required: maybe(fc.uniqueArray(name, { maxLength: 2 })),
    additionalProperties: maybe(fc.oneof(fc.boolean(), inner)),
    patternProperties: fc.option(fc.dictionary(fc.constantFrom("^a", "b$"), inner, { maxKeys: 1 }), { nil: undefined, freq: 9 }),
    items: maybe(inner),
    prefixItems: fc.option(several, { nil: undefined, freq: 6 }),
    anyOf: fc.option(several, { nil: undefined, freq: 5 }),
    oneOf: fc.option(several, { nil: undefined, freq: 7 }),
    allOf: fc.option(several, { nil: undefined, freq: 6 }),
    enum: fc.option(fc.array(fc.constantFrom<Json[]>("a", 1, null, true, { a: "b" }, [1]), { minLength: 1, maxLength: 3 }), {
      nil: undefined,
      freq: 8,
    }),
  };
  const record = fc
    .record(parts)
    .map((all): JsonObject => Object.fromEntries(Object.entries(all).filter(([, part]) => part !== undefined)) as JsonObject);
  return {
    schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.constantFrom<Json[]>(true, { type: "string" }, { type: "object" }), record),
  };
});

const step = fc.oneof({ weight: 3, arbitrary: name }, fc.constantFrom<Step[]>(0, -1, "0", "length"));
const drawn = fc.record({ schema, path: fc.array(step, { minLength: 1, maxLength: 4 }) });

const count = draws(2_000);

test(`types of ${count} random schemas, seed ${seed}`, { timeout: 240_000 + count * 200 }, () => {
  const all = fc
    .sample(drawn, { numRuns: count * 4, seed })
    .filter(({ schema }) => isExact(schema))
    .slice(0, count);
  const lines = all.flatMap(({ schema, path }, i) => {
    const steps = path.map((each) => lit(each)).join(", ");
    return [
      `${schemaTypes(schema, `I${i}`, new Names([]))} declare const k${i}: Accepted<I${i}>;`.replaceAll("\n", " "),
      `pw.at(k${i}.body, ${steps});`,
      `pw.each(k${i}.body, ${steps});`,
      `export const j${i}: pw.Json = k${i}.body;`,
    ];
  });
  const head = ['import type { Accepted } from "#runtime/value/known.ts";', 'import * as pw from "pipewright/runtime";'];
  const module = { file: "a.yaml", name: "a", sources: [], uses: nothingUsed, runtime: [], map: "", code: [...head, ...lines].join("\n") };
  const refused = typeFaults([module]).map(({ line, reason }) => ({ index: Math.floor((line - 3) / 4), kind: (line - 3) % 4, reason }));
  const wrong = refused.flatMap(({ index, kind, reason }) => {
    const { schema, path } = all[index] ?? { schema: null, path: [] };
    const found = kind === 1 ? follow(schemaShape(schema), path) : kind === 2 ? followEach(schemaShape(schema), path) : {};
    return "missing" in found && found.missing !== undefined ? [] : [{ schema, path, kind, reason }];
  });
  console.log(`${all.length} schemas, ${refused.length} readings refused`);
  expect(wrong).toEqual([]);
  expect(refused.length).toBeGreaterThan(0);
});
