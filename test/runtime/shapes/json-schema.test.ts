import type { AnySchema } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fits } from "#runtime/shapes/fits.ts";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import {
  any,
  array,
  boolean,
  type Member,
  never,
  nothing,
  number,
  object,
  oneOf,
  type Shape,
  string,
  union,
} from "#runtime/shapes/shape.ts";
import type { Json } from "#runtime/value/json.ts";
import { fitting, name, value } from "../../harness/random/shapes.ts";
import { draws } from "../../harness/rules/words.ts";

const optional = (shape: Shape): { shape: Shape; optional: true } => ({ shape, optional: true });

test.each<[string, Json, Shape]>([
  ["nothing", {}, any],
  ["true", true, any],
  ["false", false, never],
  ["a type", { type: "string", minLength: 2 }, string],
  ["types", { type: ["integer", "null"] }, union(number, nothing)],
  ["values", { enum: ["a", "b"] }, oneOf("string", ["a", "b"])],
  ["a value that its type excludes", { type: "string", enum: ["a", 1] }, oneOf("string", ["a"])],
  ["a constant", { const: 3 }, oneOf("number", [3])],
  ["nullable, as OpenAPI 3.0 writes it", { type: "string", nullable: true }, union(string, nothing)],
  ["a list", { type: "array", items: { type: "number" } }, array(number)],
  ["a tuple", { type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } }, array(union(number, string))],
  ["an open object", { type: "object", properties: { id: { type: "number" } }, required: ["id"] }, object({ id: number }, any)],
  [
    "a closed one",
    { type: "object", properties: { id: { type: "number" }, name: { type: "string" } }, required: ["id"], additionalProperties: false },
    object(
      new Map<string, Member>([
        ["id", { shape: number }],
        ["name", optional(string)],
      ]),
    ),
  ],
  ["a map", { type: "object", additionalProperties: { type: "boolean" } }, object({}, boolean)],
  ["a member that must be there and cannot", { type: "object", required: ["a"], additionalProperties: false }, never],
  [
    "all of two",
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { a: { enum: ["x", 1] } } },
      ],
    },
    object({ a: oneOf("string", ["x"]) }, any),
  ],
  ["one of two", { oneOf: [{ type: "string" }, { type: "null" }] }, union(string, nothing)],
  ["a reference", { type: "array", items: { $ref: "#/$defs/a~1b" }, $defs: { "a/b": { type: "number" } } }, array(number)],
  ["a reference elsewhere", { $ref: "other.json#/a" }, any],
])("%s", (_, schema, shape) => {
  expect(schemaShape(schema)).toEqual(shape);
});

test("a schema that refers to itself is open where it begins again", () => {
  const tree = { type: "object", properties: { of: { $ref: "#" } }, additionalProperties: false };
  expect(schemaShape(tree)).toEqual(object(new Map([["of", optional(object(new Map([["of", optional(any)]])))]])));
});

test("a document of a thousand million ways is read at once", () => {
  const parts = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `s${i}`,
      { type: "object", properties: { a: { $ref: `#/$defs/s${i + 1}` }, b: { $ref: `#/$defs/s${i + 1}` } } },
    ]),
  );
  expect(fits({ a: { b: {} } }, schemaShape({ $ref: "#/$defs/s0", $defs: parts }))).toBe(true);
});

/** Schemas at random, of the words that say something of a shape, and some that do not. */
const schema: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom<Json[]>(
      true,
      false,
      {},
      { type: "string" },
      { type: "integer" },
      { type: ["null", "boolean"] },
      { minimum: 1 },
      { enum: ["a", 1, null] },
    ),
    fc.record({ const: value }),
    fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }) }),
    fc.record(
      {
        type: fc.constantFrom<Json[]>("object", ["object", "null"], ["object", "array"]),
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        patternProperties: tie("schema").map((inner) => ({ "^[ab]": inner })),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.record(
      { type: fc.constant("array"), items: tie("schema"), prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record(
      { anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }), not: tie("schema") },
      { requiredKeys: ["anyOf"], noNullPrototype: true },
    ),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
  ),
})).schema;

/**
 * True when ajv takes a value. It is no judge of `__proto__`, since it takes what every object inherits for a member, nor of some tuples
 * with `false`, for which it writes a validator that names a variable it never made.
 */
function takes(ajv: Ajv2020, one: AnySchema, given: Json): boolean {
  if (JSON.stringify(one).includes('"__proto__"')) return false;
  try {
    return ajv.validate(one, given) === true;
  } catch (error) {
    if (error instanceof ReferenceError) return false;
    throw error;
  } finally {
    ajv.removeSchema();
  }
}

test("whatever a schema takes fits its shape", () => {
  let taken = 0;
  const ajv = new Ajv2020({ ownProperties: true, strict: false, logger: false, validateSchema: false });
  const property = fc.property(
    schema.chain((one) => fc.tuple(fc.constant(one), fc.oneof(fitting(schemaShape(one)), value))),
    ([one, given]) => {
      const isTaken = takes(ajv, one as AnySchema, given);
      if (!isTaken) return true;
      taken += 1;
      return fits(given, schemaShape(one));
    },
  );
  const numRuns = draws(5_000);
  fc.assert(property, { numRuns });
  expect(taken).toBeGreaterThan(numRuns / 50);
});
