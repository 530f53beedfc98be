import { expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { planTexts } from "../../../compiler/pipeline.ts";

// The contract of a body says what its tests pass (spec/surfaces 6.1).

test.each<[string, Json, Json]>([
  ["an object that is not empty", { is_object: true, is_not_empty: true }, { type: "object" }],
  ["an object with bounds of its size", { is_object: true, is_between: { min: 1, max: 3 } }, { type: "object" }],
  ["an object with certain keys", { is_object: true, contains: { allowed: ["a"] } }, { type: "object" }],
  ["a number that is not empty", { is_number: true, is_not_empty: true }, { type: "number" }],
  ["an integer with bounds", { is_integer: true, is_between: { min: 1, max: 3 } }, { type: "integer", minimum: 1, maximum: 3 }],
  ["an integer that is a number", { is_integer: true, is_number: true }, { type: "integer" }],
  ["a boolean that is not empty", { is_boolean: true, is_not_empty: true }, { type: "boolean" }],
  ["a list that is not empty", { is_array: true, is_not_empty: true }, { type: "array", minItems: 1 }],
  ["a bound without a type", { is_less_than: 3 }, { type: "number", exclusiveMaximum: 3 }],
  ["contradictions", { is_object: true, is_number: true }, {}],
])("%s", (_, tests, schema) => {
  expect(contractOf([{ value: "x", ...(tests as object) }])).toEqual({ type: "object", properties: { x: schema }, required: ["x"] });
});

test.each<[string, Json, Json]>([
  ["one", [{ value: "x.0", is_equal_to: 1 }], { type: "array", minItems: 1, prefixItems: [{ type: "number", const: 1 }] }],
  [
    "a pointer",
    [{ pointer: "/x/1/a", is_string: true }],
    {
      type: "array",
      minItems: 2,
      prefixItems: [{}, { type: "object", properties: { a: { type: "string" } }, required: ["a"] }],
    },
  ],
  [
    "jq",
    [{ jq: ".x[0]", is_string: true, is_uuid: true }],
    {
      type: "array",
      minItems: 1,
      prefixItems: [{ type: "string", format: "uuid" }],
    },
  ],
  [
    "beside others",
    [
      { value: "x.0", is_equal_to: 1 },
      { value: "x.count()", is_less_than: 5 },
    ],
    {
      type: "array",
      minItems: 1,
      prefixItems: [{ type: "number", const: 1 }],
      maxItems: 4,
    },
  ],
  ["far away", [{ value: "x.999999", is_string: true }], { type: "array", minItems: 1_000_000 }],
])("an index of a list is that element alone: %s", (_, tests, schema) => {
  expect(contractOf(tests)).toEqual({ type: "object", properties: { x: schema }, required: ["x"] });
});

test("an element that may be missing is not demanded", () => {
  const schema = { type: "array", prefixItems: [{}, { type: "null" }] };
  expect(contractOf([{ value: "x.1", is_null: true }])).toEqual({ type: "object", properties: { x: schema } });
});

test("elements by position are those of `verify_schema`, too", () => {
  const structure = { x: [{ type: "String", validate: { is_uuid: true } }, { type: "Number" }] };
  const x = { type: "array", minItems: 2, prefixItems: [{ type: "string", format: "uuid" }, { type: "number" }] };
  expect(contractOf([{ verify_schema: { structure } }])).toEqual({ type: "object", properties: { x }, required: ["x"] });
});

function contractOf(tests: Json): Json | undefined {
  const target = { method: "POST", actions: [{ name: "A", input: "a|body|", assert: { tests } }] };
  const { plans } = planTexts([{ file: "c.yaml", text: JSON.stringify({ name: "c", interfaces: { i: target } }) }]);
  return plans[0]?.interfaces[0]?.contract?.input;
}
