import { expect, test } from "vitest";
import { contains } from "#runtime/features/matchers/contains.ts";
import { not_contains } from "#runtime/features/matchers/not_contains.ts";
import type { Json } from "#runtime/value/json.ts";

// Operands that no configuration can have, because the schema refuses them, and a marker gives no form.

const noForm = "field contains: expected a scalar, a list, values, allowed or disallowed, got object";

test.each([contains, not_contains])("an object of no form fails, and lets nothing pass", (matcher) => {
  expect(() => matcher("a", {})).toThrow(noForm);
  expect(() => matcher({ a: 1 }, { a: 1 })).toThrow(noForm);
});

test("a number of values that is no number is never reached", () => {
  const verdict = contains(["a"], { values: ["a"], at_least: "many" });
  expect(typeof verdict === "function" ? verdict() : verdict).toBe('expected target ["a"] matching at least many of ["a"]');
});

test.each<Json>([{ disallowed: [] }, { allowed: ["a"] }, { values: [], at_least: 0 }, {}])("%j as data is a value", (operand) => {
  expect(contains("a", operand, { isValue: true })).not.toBe(true);
  expect(contains([operand], operand, { isValue: true })).toBe(true);
  expect(not_contains("a", operand, { isValue: true })).toBe(true);
});
