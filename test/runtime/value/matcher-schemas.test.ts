import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonSchema, MatcherOptions } from "../../../runtime/features/feature.ts";
import type { Verdict } from "../../../runtime/run/verdict.ts";
import type { Json } from "../../../runtime/value/json.ts";

// Matchers describe their target as JSON Schema (spec/surfaces 6.1): as written there, and in agreement with the matcher itself.

interface Described {
  readonly prepare?: (operand: Json) => unknown;
  readonly run: (target: Json, ready: unknown, options?: MatcherOptions) => Verdict;
  readonly describe?: (operand: Json) => JsonSchema;
}

const sized = ["number", "string", "array"];

const table: readonly (readonly [string, Json, JsonSchema])[] = [
  ["is_null", true, { type: "null" }],
  ["is_null", false, { not: { enum: [null] } }],
  ["is_not_null", true, { not: { enum: [null] } }],
  ["is_not_null", false, {}],
  ["is_not_empty", true, { type: ["string", "array"], minLength: 1, minItems: 1 }],
  ["is_equal_to", "a", { type: "string", const: "a" }],
  ["is_equal_to", 1, { type: "number", const: 1 }],
  ["is_not_equal_to", "a", { not: { const: "a" } }],
  ["is_less_than", 5, { type: sized, exclusiveMaximum: 5, maxLength: 4, maxItems: 4 }],
  ["is_less_than", "5", { type: sized, exclusiveMaximum: 5, maxLength: 4, maxItems: 4 }],
  ["is_less_than", 2.5, { type: sized, exclusiveMaximum: 2.5, maxLength: 2, maxItems: 2 }],
  ["is_less_than_or_equal_to", 5, { type: sized, maximum: 5, maxLength: 5, maxItems: 5 }],
  ["is_greater_than", 5, { type: sized, exclusiveMinimum: 5, minLength: 6, minItems: 6 }],
  ["is_greater_than", 1.5, { type: sized, exclusiveMinimum: 1.5, minLength: 2, minItems: 2 }],
  ["is_greater_than_or_equal_to", 5, { type: sized, minimum: 5, minLength: 5, minItems: 5 }],
  ["is_greater_than_or_equal_to", -1, { type: sized, minimum: -1 }],
  ["is_between", { min: 1, max: 3 }, { type: sized, minimum: 1, maximum: 3, minLength: 1, minItems: 1, maxLength: 3, maxItems: 3 }],
  ["starts_with", "a.", { type: "string", pattern: "^a\\." }],
  ["not_starts_with", "a", { type: "string", not: { pattern: "^a" } }],
  ["ends_with", "(1)", { type: "string", pattern: "\\(1\\)$" }],
  ["not_ends_with", "a", { type: "string", not: { pattern: "a$" } }],
  ["contains_text", true, { type: "string", pattern: "\\p{L}" }],
  ["contains_number", true, { type: "string", pattern: "\\p{Nd}" }],
  ["contains_upper", true, { type: "string", pattern: "\\p{Lu}" }],
  ["contains_lower", false, { type: "string", not: { pattern: "\\p{Ll}" } }],
  ["contains_text", false, { type: "string", not: { pattern: "\\p{L}" } }],
  ["contains_number", false, { type: "string", not: { pattern: "\\p{Nd}" } }],
  ["contains_special", true, { type: "string", pattern: "[^\\p{L}\\p{Nd}\\s\\p{Z}\\v]" }],
  ["contains", "a+", { pattern: "a\\+", contains: { enum: ["a+"] } }],
  ["contains", ["a", "b"], { pattern: "a|b", contains: { enum: ["a", "b"] } }],
  [
    "contains",
    { values: ["a", "b"], at_least: 2 },
    { contains: { enum: ["a", "b"] }, minContains: 2, description: 'Has at least 2 of ["a","b"].' },
  ],
  ["contains", { allowed: ["a"] }, { anyOf: [{ enum: ["a"] }, { type: "array", items: { enum: ["a"] } }, { type: "object" }] }],
  ["contains", { disallowed: ["a"] }, { not: { enum: ["a"] }, items: { not: { enum: ["a"] } } }],
  ["like", "a_%.", { type: "string", pattern: "^a_[\\s\\S]*\\.$" }],
  ["ilike", "aß1%", { type: "string", pattern: "^[aA]ß1[\\s\\S]*$" }],
  ["regex", "^a", { type: "string", pattern: "^a" }],
  ["regex", "(?i)a", { type: "string" }],
  ["is_uuid", true, { type: "string", format: "uuid" }],
  ["is_array", true, { type: "array" }],
  ["size_limit", "10KB", { description: "At most 10KB." }],
  ["size_limit", 10, { description: "At most 10 bytes." }],
];

const targets: readonly Json[] = [
  "",
  "a",
  "b",
  "ab",
  "a.b",
  "a+",
  "A1!",
  "a_x.",
  "abcdef",
  "(1)",
  "é",
  "É",
  "東京",
  "٣",
  "€ 1",
  "a\u00a0\u20281",
  "😀😀😀",
  -2,
  0,
  1,
  2.5,
  5,
  6,
  [],
  ["a"],
  ["b", "a"],
  [1, 2, 3, 4, 5, 6],
];

describe("what a matcher says of its target", () => {
  it.each(table)("%s: %j", async (name, operand, expected) => {
    const { describe: schemaOf } = await load(name);
    expect(schemaOf?.(operand)).toEqual(expected);
  });

  // Left out: schemas that are wider (unit-less size, an omitted pattern) or narrower (no coercion of numbers) on purpose.
  const exact = table.filter(([name, operand]) => !["size_limit", "is_uuid"].includes(name) && operand !== "(?i)a");

  it.each(exact)("%s: %j accepts what the matcher passes", async (name, operand) => {
    const { prepare, run, describe: schemaOf } = await load(name);
    const accepts = new Ajv2020({ strict: false }).compile(schemaOf?.(operand) ?? {});
    const ready = prepare === undefined ? operand : prepare(operand);
    for (const target of targets.filter((one) => comparable(name, operand, one))) {
      expect([target, accepts(target)]).toEqual([target, run(target, ready) === true]);
    }
  });
});

/** Targets for which the table has a column: text matchers are described for strings alone, `contains` not for numbers. */
function comparable(name: string, operand: Json, target: Json): boolean {
  const text = /^(?:not_)?(?:starts|ends)_with$|^contains_|like$|^regex$/.test(name);
  if (text) return typeof target === "string";
  if (name !== "contains") return name !== "is_not_empty" || typeof target !== "number";
  const values = typeof operand === "object" && operand !== null && "values" in operand;
  return Array.isArray(target) || (typeof target === "string" && !values);
}

async function load(name: string): Promise<Described> {
  return (await import(`#runtime/features/matchers/${name}.ts`)).spec;
}
