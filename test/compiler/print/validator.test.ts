import { describe, expect, it } from "vitest";
import { bare, schemaCompiler } from "../../../runtime/languages/schema/compiler.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";

// The validator of `accepts` as printed: what ajv writes, made readable, which still finds what ajv finds.

const configOf = (schema: Json): string =>
  JSON.stringify({
    name: "c",
    interfaces: { i: { method: "POST", accepts: { schema, enforce: true }, actions: [{ name: "A", input: "a|body|" }] } },
  });

const codeOf = async (schema: Json): Promise<string> => (await printOne(planned(configOf(schema)))).code;

/** The function of the module. */
async function validatorOf(schema: Json): Promise<(value: Json) => unknown> {
  const code = await codeOf(schema);
  const kept = code.replace(
    "export const config: pw.Config = {",
    "export const config: pw.Config & { readonly validator: unknown } = {\n  validator: i_accepts,",
  );
  const { validator } = (await evaluate(kept)) as unknown as { readonly validator: { (value: Json): boolean; errors?: unknown } };
  return (value) => (validator(value) ? [] : validator.errors);
}

/** Schemas whose texts look like the code that is rewritten. */
const hostile = [
  "func0.call(data, ",
  'data.a !== undefined && func0.call(data, "a")',
  ...["vErrors", "func0", "errors", "data0", "instancePath", "validate0", "evaluated0"],
  "errors++;",
  'if(data && typeof data == "object" && !Array.isArray(data)){',
  '{instancePath,keyword:"required",params:{x: 1},message:"m"});',
  "schema0.properties",
  '"1"',
  "__proto__",
  "\n}\nelse {\n",
  "`1`",
];

/** Names of members after which a value could be named, and which the code has a meaning for. */
const ownNames = [
  ...[
    "pw",
    "data",
    "data1",
    "findings",
    "errors",
    "key",
    "key0",
    "i0",
    "len0",
    "isNaN",
    "Object",
    "class",
    "schema0",
    "pattern1",
    "item",
    "a",
  ],
  ...["undefined", "arguments", "data_item", "pw_item", "err1", "valid0", "_errs1", "findings_2"],
];

const schemas: Readonly<Record<string, Json>> = {
  "members and bounds": {
    type: "object",
    required: ["a", "b-c"],
    additionalProperties: false,
    properties: {
      a: { type: "integer", minimum: 1, multipleOf: 0.5 },
      "b-c": { type: "string", minLength: 2 },
      d: { enum: ["x", { y: [1, 2] }, null] },
    },
  },
  choices: {
    anyOf: [
      { type: "string", enum: ["x", "y", "z"] },
      { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    ],
    not: { const: "z" },
  },
  lists: {
    type: "array",
    minItems: 1,
    uniqueItems: true,
    items: { type: ["object", "number"], properties: { a: { const: true } } },
    contains: { type: "number" },
  },
  "a schema that holds itself": { type: "object", properties: { kids: { type: "array", items: { $ref: "#" } } } },
  "what others have not looked at": { type: "object", properties: { a: true }, unevaluatedProperties: false },
  "members that need others": { dependentRequired: { a: ["b", "b-c"], "b-c": ["a"], schemaPath: hostile } },
  "older words for them": { dependencies: { a: ["b"], d: { required: ["a"] } } },
  "every other keyword": {
    dependentSchemas: { a: { required: ["b"], dependentRequired: { a: ["e"] } } },
    patternProperties: { "^a": { type: "number", exclusiveMinimum: 0, maximum: 1 } },
    propertyNames: { maxLength: 9, format: "regex" },
    minProperties: 1,
    maxProperties: 2,
    prefixItems: [{ type: "number" }, { minimum: 2, exclusiveMaximum: 3 }],
    items: { type: "string", minLength: 1, maxLength: 2, pattern: "^a" },
    minItems: 1,
    maxItems: 2,
    minContains: 1,
    maxContains: 1,
    contains: { const: 1 },
    if: { type: "object" },
    // biome-ignore lint/suspicious/noThenProperty: It is a keyword of JSON Schema.
    then: { properties: { kids: { dependentRequired: { x: ["y"] }, type: "object" } }, required: ["a"] },
    else: { not: { type: "array" } },
    oneOf: [{ type: "object" }, { type: "array" }, { type: ["null", "boolean"] }],
    allOf: [{ type: "object", nullable: true }],
    unevaluatedProperties: false,
  },
  "what choices have looked at": {
    anyOf: [
      { type: "array", items: { type: "string" } },
      { prefixItems: [true], required: ["a"] },
      { properties: { a: true }, required: ["a"] },
    ],
    if: { properties: { b: { const: 2 } }, prefixItems: [{ const: 1 }, true] },
    unevaluatedItems: { type: "boolean" },
    unevaluatedProperties: false,
  },
  "hostile names": {
    type: "object",
    required: hostile,
    properties: Object.fromEntries(hostile.flatMap((name) => (name === "__proto__" ? [] : [[name, { type: "string" }]]))),
  },
  "hostile values": { enum: hostile },
  "names of its own constants": {
    type: "object",
    properties: Object.fromEntries(
      ownNames.map((name) => [
        name,
        {
          type: "array",
          items: { type: "object", properties: { [name]: { type: "integer", minimum: 2 }, "b-c": { type: ["string", "null"] } } },
        },
      ]),
    ),
    additionalProperties: { type: "object", properties: { key0: { type: "integer" } }, additionalProperties: { minimum: 1 } },
  },
};

const values: readonly Json[] = [
  ...[null, true, 0, 1, 1.5, "x", "z", "", [], [1], [1, 1], [{ a: true }, 1], [{ a: false }]],
  ...[{}, { a: 1 }, { a: 1, b: 2 }, { a: 0.3, "b-c": "" }, { a: 2, "b-c": "yes", d: { y: [1, 2] } }, { a: 2, "b-c": "yes", d: 3, e: 1 }],
  ...[{ kids: [] }, { kids: [{ kids: [1] }] }, { kids: {} }, { b: 1 }, ...hostile, Object.fromEntries(hostile.map((name) => [name, name]))],
  Object.fromEntries(hostile.map((name) => [name, 1])),
  JSON.parse('{"__proto__": 1}'),
  ...[1, [1], [{}], [{ "b-c": 1 }]].map((value) => Object.fromEntries([...ownNames, "more"].map((name) => [name, value]))),
  ...[1, 1.5, 3, null].map((value) => Object.fromEntries(ownNames.map((name) => [name, [{ [name]: value }, { "b-c": value }]]))),
  ...[0, 1].map((value) => ({ more: { key0: value + 0.5, other: value } })),
];

describe("a printed validator", () => {
  it.each(Object.entries(schemas))("finds what ajv finds: %s", async (_, schema) => {
    const printed = await validatorOf(schema);
    const original = schemaCompiler(schema).compile(bare(schema));
    for (const value of values) {
      const expected = original(value) ? [] : (original.errors ?? []).map(({ schemaPath: _path, ...finding }) => finding);
      expect(printed(value), JSON.stringify(value)).toEqual(expected);
    }
  });

  it("has no counts, aliases or doubled checks where nothing reads them", async () => {
    const code = await codeOf({ type: "object", required: ["a"], properties: { a: { type: "string", enum: ["x", "y", "z"] } } });
    expect(code).toContain(`const i_accepts = pw.validator<IInput>((data) => {
  let findings: pw.Unchecked = null;
  if (pw.isObject(data)) {
    if (!Object.hasOwn(data, "a")) {
      findings = pw.addFinding(findings, { instancePath: "", keyword: "required", params: { missingProperty: "a" }, message: "must have required property 'a'" });
    }
    if (Object.hasOwn(data, "a")) {
      const a: pw.Unchecked = data.a;
      if (typeof a !== "string") {
        findings = pw.addFinding(findings, { instancePath: "/a", keyword: "type", params: { type: "string" }, message: "must be string" });
      }
      if (!(a === "x" || a === "y" || a === "z")) {
        findings = pw.addFinding(findings, { instancePath: "/a", keyword: "enum", params: { allowedValues: ["x", "y", "z"] }, message: "must be equal to one of the allowed values" });
      }
    }
  } else {
    findings = pw.addFinding(findings, { instancePath: "", keyword: "type", params: { type: "object" }, message: "must be object" });
  }
  return findings;
});`);
  });
});
