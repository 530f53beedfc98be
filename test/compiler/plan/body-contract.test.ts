import { expect, test } from "vitest";
import type { ContractPlan } from "#runtime/plan/index.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
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

test.each<[string, Json]>([
  ["an action that hides its data", [{ name: "A", json_output: { n: 1 }, hide_data_on_success: true }]],
  ["an action that hides itself", [{ name: "A", json_output: { n: 1 }, hide_action: true }]],
  ["an action that hides what is empty", [{ name: "A", json_output: { n: 1 }, hide_data_on_empty: true }]],
  [
    "an action that may be skipped",
    [
      { name: "B", json_output: { n: 1 } },
      { name: "A", run_when_failed: ["B"], json_output: { n: 1 } },
    ],
  ],
  [
    "an action behind one that may be skipped",
    [
      { name: "B", json_output: { n: 1 } },
      { name: "C", run_when_failed: ["B"], json_output: { n: 1 } },
      { name: "A", run_when_succeeded: ["C"], json_output: { n: 1 } },
    ],
  ],
])("the answer says nothing of the data of %s", (_, actions) => {
  const assert = { tests: [{ value: "n", is_equal_to: 1 }] };
  expect(planned({ actions, assert })?.output).toBeUndefined();
  const sure = [
    { name: "B", json_output: 1 },
    { name: "A", run_when_succeeded: ["B"], json_output: { n: 1 } },
  ];
  expect(planned({ actions: sure, assert })?.output).toMatchObject({ required: ["data"] });
});

test("the answer says nothing where a failed test may give it", () => {
  const assert = { http_code_on_error: 200, tests: [{ value: "n", is_equal_to: 1 }] };
  expect(planned({ actions: [{ name: "A", json_output: { n: 1 } }], assert })?.output).toBeUndefined();
});

function contractOf(tests: Json): Json | undefined {
  return planned({ actions: [{ name: "A", input: "a|body|", assert: { tests } }] })?.input;
}

function planned(target: JsonObject): ContractPlan | undefined {
  const text = JSON.stringify({ name: "c", interfaces: { i: { method: "POST", ...target } } });
  return planTexts([{ file: "c.yaml", text }]).plans[0]?.interfaces[0]?.contract;
}
