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

function contractOf(tests: Json): Json | undefined {
  const target = { method: "POST", actions: [{ name: "A", input: "a|body|", assert: { tests } }] };
  const { plans } = planTexts([{ file: "c.yaml", text: JSON.stringify({ name: "c", interfaces: { i: target } }) }]);
  return plans[0]?.interfaces[0]?.contract?.input;
}
