import { expect, test } from "vitest";
import { problemsOf } from "../../../runtime/languages/schema/accepts.ts";
import { bare, schemaCompiler } from "../../../runtime/languages/schema/compiler.ts";
import type { Json } from "../../../runtime/value/json.ts";

// Keywords of JSON Schema that are our own, because ajv is wrong about them.

interface Judged {
  readonly about: string;
  readonly schema: Json;
  readonly right: readonly Json[];
  readonly wrong: readonly Json[];
}

const judged: readonly Judged[] = [
  { about: "a multiple of a large number", schema: { multipleOf: 1e9 }, right: [0, 3e9, 1e300], wrong: [1e9 + 1, 1_000_000_000_001] },
  { about: "a multiple of one", schema: { multipleOf: 1 }, right: [2, -2, 1e308], wrong: [2.0000000001, 0.1] },
  { about: "a multiple of hundredths", schema: { multipleOf: 0.01 }, right: [19.99, -0.07, 1e20, 4.35], wrong: [19.991, 0.001, 1e-300] },
  { about: "a multiple that overflows", schema: { type: "integer", multipleOf: 0.123456789 }, right: [0], wrong: [1e308] },
  { about: "multiples of the smallest", schema: { multipleOf: 5e-324 }, right: [1e308, 5e-324, 1.5], wrong: [Number.POSITIVE_INFINITY] },
  {
    about: "items beside those of a choice",
    schema: { unevaluatedItems: { type: "boolean" }, anyOf: [{ items: { type: "string" } }, true] },
    right: [["yes", "no"], [true]],
    wrong: [["yes", false, 1]],
  },
  {
    about: "items where no choice has looked at any",
    schema: { unevaluatedItems: false, anyOf: [{ prefixItems: [{ const: 1 }] }, { maxItems: 3 }] },
    right: [[1], []],
    wrong: [[2], [1, 2]],
  },
  {
    about: "items of a condition",
    schema: { if: { prefixItems: [{ const: "a" }] }, unevaluatedItems: false },
    right: [["a"], []],
    wrong: [["b"], ["a", "b"]],
  },
  {
    about: "members of a condition without branches",
    schema: { if: { patternProperties: { foo: { type: "string" } } }, unevaluatedProperties: false },
    right: [{ foo: "a" }, {}],
    wrong: [{ bar: "a" }, { foo: 1 }],
  },
  {
    about: "members of a condition that does not hold",
    schema: {
      if: { properties: { foo: { const: "then" } }, required: ["foo"] },
      else: { properties: { baz: { type: "string" } }, required: ["baz"] },
      unevaluatedProperties: false,
    },
    right: [{ foo: "then" }, { baz: "baz" }],
    wrong: [{ foo: "then", bar: "bar" }, { baz: "baz", foo: "else" }, {}],
  },
  {
    about: "members of a choice that does not hold",
    schema: { anyOf: [{ patternProperties: { foo: { type: "string" } } }, true], unevaluatedProperties: false },
    right: [{ foo: "a" }, {}],
    wrong: [{ foo: 1 }],
  },
  {
    about: "members of a list, of which some hold",
    schema: {
      items: {
        anyOf: [{ anyOf: [{ patternProperties: { a: { type: "string" } } }, { required: ["x"] }] }, true],
        dependentSchemas: { b: { properties: { b: true, c: { const: 1 } } } },
        unevaluatedProperties: false,
      },
    },
    right: [[{ a: "1" }, { b: 1, c: 1 }], [{}]],
    wrong: [[{ a: "1" }, { a: 1 }], [{ b: 1, c: 1 }, { c: 1 }], [{ x: 1 }]],
  },
  {
    about: "members with names that each object inherits",
    schema: { anyOf: [{ properties: { a: true }, required: ["a"] }, true], unevaluatedProperties: false },
    right: [{ a: 1 }, {}],
    wrong: [{ toString: 1 }, { a: 1, constructor: 1 }, JSON.parse('{"__proto__": 1}')],
  },
];

test.each(judged)("$about", ({ schema, right, wrong }) => {
  const validate = schemaCompiler(schema).compile(bare(schema));
  const isRight = (value: Json): boolean => problemsOf(value, validate as Parameters<typeof problemsOf>[1]).length === 0;
  expect(right.filter((value) => !isRight(value))).toEqual([]);
  expect(wrong.filter(isRight)).toEqual([]);
});
