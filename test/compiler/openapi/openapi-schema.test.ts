import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { admitting, openApiSchema } from "../../../compiler/openapi/schema.ts";

// JSON Schema as version 3.0.3 of OpenAPI writes it (spec/surfaces 7).

describe("a schema of OpenAPI 3.0.3", () => {
  test.each<[string, Json, JsonObject]>([
    ["a constant", { const: 1 }, { enum: [1] }],
    [
      "bounds that do not count themselves",
      { exclusiveMinimum: 1, maximum: 3, exclusiveMaximum: 3 },
      { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true },
    ],
    ["a bound that is narrower", { minimum: 5, exclusiveMinimum: 1 }, { minimum: 5 }],
    ["a bound that is narrower and comes behind", { exclusiveMinimum: 1, minimum: 5 }, { minimum: 5 }],
    ["a bound that is as narrow and comes behind", { exclusiveMaximum: 1, maximum: 1 }, { maximum: 1, exclusiveMaximum: true }],
    ["null", { type: "null" }, { enum: [null] }],
    ["a reference that is no address", { properties: { a: { $ref: "#/%zz" } } }, { properties: { a: {} } }],
    ["a reference by an anchor", { properties: { a: { $ref: "#q" } }, $defs: { q: { $anchor: "q" } } }, { properties: { a: {} } }],
    ["a type or null", { type: ["null", "integer"] }, { type: "integer", nullable: true }],
    ["several types", { type: ["string", "number"], minLength: 1 }, { minLength: 1 }],
    [
      "what it has no words for",
      { prefixItems: [{}], contains: {}, minContains: 1, if: {}, $schema: "x", $id: "y", $defs: {}, patternProperties: {} },
      {},
    ],
    ["a list", { type: "array", contains: { const: 1 } }, { type: "array", items: {} }],
    ["a list of what", { type: "array", items: { const: "a" } }, { type: "array", items: { enum: ["a"] } }],
    ["booleans", { properties: { a: true, b: false }, items: false }, { properties: { a: {}, b: { not: {} } }, items: { not: {} } }],
    ["requirements", { required: ["a", "a"] }, { required: ["a"] }],
    ["no requirements", { required: [] }, {}],
    ["examples", { examples: [1, 2] }, { example: 1 }],
    ["a refusal that it has no words for", { not: { contains: { const: 1 } }, minItems: 1 }, { minItems: 1 }],
    ["a refusal of everything", { not: {} }, { not: {} }],
    ["a refusal that it has words for in part", { not: { type: "array", contains: { const: 1 } } }, {}],
    ["a refusal of a reference to itself", { properties: { a: { not: { $ref: "#/properties/a" } } } }, { properties: { a: {} } }],
    ["items behind the first ones", { prefixItems: [{ type: "string" }], items: { type: "number" } }, { items: {} }],
    ["no items behind the first ones", { maxItems: 9, prefixItems: [{}, {}], items: false }, { maxItems: 2, items: {} }],
    [
      "no items behind the first one, and a bound behind that",
      { prefixItems: [{}], items: false, maxItems: 9 },
      { items: {}, maxItems: 1 },
    ],
    [
      "members that a pattern admits",
      { patternProperties: { "^x-": {} }, properties: { a: {} }, additionalProperties: false },
      { properties: { a: {} } },
    ],
    [
      "one of forms that it has words for in part",
      { oneOf: [{ type: ["string", "number"] }, { type: "boolean" }] },
      { anyOf: [{}, { type: "boolean" }] },
    ],
    ["one of forms", { oneOf: [{ type: "string" }, { type: "boolean" }] }, { oneOf: [{ type: "string" }, { type: "boolean" }] }],
    ["forms", { anyOf: [{ const: 1 }], oneOf: [], not: { const: 2 } }, { anyOf: [{ enum: [1] }], not: { enum: [2] } }],
    [
      "a reference",
      { properties: { a: { $ref: "#/$defs/A~1B" } }, $defs: { "A/B": { type: "string" } } },
      { properties: { a: { type: "string" } } },
    ],
    ["references to elsewhere", { properties: { a: { $ref: "https://x.example/s" } } }, { properties: { a: {} } }],
    [
      "a name that is a trap",
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    ],
  ])("%s", (_, schema, expected) => {
    expect(openApiSchema(schema)).toEqual(expected);
  });

  test("what refers to itself ends", () => {
    const text = JSON.stringify(openApiSchema({ properties: { next: { $ref: "#" } } }));
    expect(text.length).toBeLessThan(1_000);
  });

  test("what refers to itself in many places stays small, and has its own members", () => {
    for (const members of [10, 300]) {
      const properties = Object.fromEntries(Array.from({ length: members }, (_, i) => [`m${i}`, { $ref: "#/$defs/n" }]));
      const schema = openApiSchema({ $ref: "#/$defs/n", $defs: { n: { type: "object", properties } } });
      expect(Object.keys((schema.properties ?? {}) as JsonObject)).toEqual(Object.keys(properties));
      expect(JSON.stringify(schema).length).toBeLessThan(100_000);
    }
  });

  test("a long definition behind one reference is whole", () => {
    const properties = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`m${i}`, { type: "string" }]));
    expect(openApiSchema({ $ref: "#/$defs/n", $defs: { n: { properties } } })).toEqual({ properties });
  });

  test("an example may have more members than tests name", () => {
    const schema = { type: "object", properties: { a: { type: "array", items: { properties: { b: {} } } } } };
    expect(admitting(schema, { a: [{ b: 1 }] })).toEqual(schema);
    expect(admitting(schema, { a: [{ b: 1, c: 2 }], d: 1 })).toEqual({
      type: "object",
      properties: { a: { type: "array", items: { properties: { b: {} }, additionalProperties: true } } },
      additionalProperties: true,
    });
  });
});
