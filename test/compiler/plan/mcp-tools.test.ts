import { expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { planned } from "../../harness/compile.ts";

// The schemas of a tool of MCP are those of an object: arguments always are one, and structured content has to be one (spec/surfaces 6).

/** The schemas that a tool with these keys shows. */
function schemas(keys: string): { readonly input: Json | undefined; readonly output: Json | undefined } {
  const { plans } = planned(`name: t\ninterfaces:\n  a: { mcp: { enabled: true, description: d }, ${keys} }\n`);
  const mcp = plans[0]?.interfaces[0]?.mcp;
  return { input: mcp?.inputSchema, output: mcp?.outputSchema };
}

test.each([
  "{ oneOf: [{ type: object }, { type: 'null' }] }",
  "{ anyOf: [{ type: object }, { type: array }] }",
  "{ properties: { x: { type: string } } }",
  "{ $ref: '#/$defs/x', $defs: { x: { properties: { x: { type: string } } } } }",
  "{ $ref: 'https://elsewhere.example/x.json' }",
  "{ allOf: [{ required: [x] }] }",
  "{ not: { type: 'null' } }",
  "{ type: [object, 'null'] }",
  "{ type: object, nullable: true }",
  "{ type: array }",
  "{}",
  "true",
])("answers of %s may be no object, so clients get no output schema", (schema) => {
  expect(schemas(`produces: { schema: ${schema} }, actions: []`).output).toBeUndefined();
});

test.each<[string, Json]>([
  ["{ type: object, properties: { x: {} } }", { type: "object", properties: { x: {} } }],
  ["{ type: [object] }", { type: "object" }],
  ["{ oneOf: [{ type: object }, { const: { a: 1 } }] }", { type: "object", oneOf: [{ type: "object" }, { const: { a: 1 } }] }],
  ["{ allOf: [{ type: object }, { required: [x] }] }", { type: "object", allOf: [{ type: "object" }, { required: ["x"] }] }],
  ["{ $ref: '#/$defs/x', $defs: { x: { type: object } } }", { type: "object", $ref: "#/$defs/x", $defs: { x: { type: "object" } } }],
])("answers of %s are objects", (schema, expected) => {
  expect(schemas(`produces: { schema: ${schema} }, actions: []`).output).toEqual(expected);
});

test("arguments are an object, also where the schema would take something else, too", () => {
  const input = (schema: string): Json | undefined => schemas(`accepts: { schema: ${schema} }, actions: []`).input;
  expect(input("{ properties: { x: { type: string } } }")).toEqual({ type: "object", properties: { x: { type: "string" } } });
  expect(input("{ type: [object, 'null'], required: [x] }")).toEqual({ type: "object", required: ["x"] });
  expect(input("{ type: [array, string] }")).toEqual({ type: "object" });
});
