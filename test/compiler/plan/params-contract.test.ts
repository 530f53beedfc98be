import { expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { planTexts } from "../../../compiler/pipeline.ts";

// The contract of a parameter says what is tested of the parameter itself.

const bounds = { is_between: { min: 1, max: 9 } };

test.each<[string, Json, object]>([
  ["its value", bounds, { minimum: 1, maximum: 9 }],
  ["the same value by a marker", { action_value: "a|params::x|", ...bounds }, { minimum: 1, maximum: 9 }],
])("a test of %s", (_, validate, facts) => {
  expect(contractOf({ validate })).toMatchObject({ properties: { x: facts } });
});

test.each<[string, Json]>([
  ["another parameter", { action_value: "a|params::y|", ...bounds }],
  ["a member of the body with its name", { action_value: "a|body::x|", ...bounds }],
  ["a header with its name", { action_value: "a|headers::x|", ...bounds }],
  ["a part of it", { value: "a", ...bounds }],
  ["a text", { custom_value: "n a|params::x|", ...bounds }],
])("a test of %s says nothing of it", (_, validate) => {
  expect(contractOf({ required: false, validate })).toMatchObject({ properties: { x: {} } });
  expect(JSON.stringify(contractOf({ required: false, validate }))).not.toMatch(/minimum|maximum|number/);
});

test("a parameter that reads the body says what its member is", () => {
  const param = { value: "a|body::user.x|", validate: { ...bounds, description: "A digit." } };
  const x = { type: "number", minimum: 1, maximum: 9, description: "A digit." };
  const user = { type: "object", properties: { x }, required: ["x"] };
  expect(contractOf(param, "input")).toEqual({ type: "object", properties: { user }, required: ["user"] });
  expect(contractOf(param)).toBeUndefined();
});

test("a parameter that reads the body, and has a default, does not demand its member", () => {
  const param = { value: "a|body::x|", default_value: "a", validate: { is_not_empty: true } };
  expect(contractOf(param, "input")).toEqual({ type: "object", properties: { x: { type: "string", minLength: 1, default: "a" } } });
});

function contractOf(param: Json, part: "input" | "params" = "params"): Json | undefined {
  const target = { method: "POST", params: { x: param }, actions: [] };
  const { plans } = planTexts([{ file: "c.yaml", text: JSON.stringify({ name: "c", interfaces: { i: target } }) }]);
  return plans[0]?.interfaces[0]?.contract?.[part];
}
