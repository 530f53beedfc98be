import { describe, expect, it } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";
import type { JsonSchema } from "../../../runtime/features/feature.ts";
import { prepare, spec, verify_schema } from "../../../runtime/features/matchers/verify_schema.ts";
import type { Json } from "../../../runtime/value/json.ts";

describe("problems", () => {
  const judged = (structure: Json, target: Json, isClosed = false): unknown =>
    verify_schema(target, prepare({ structure, disallow_unknown_keys: isClosed }));

  it.each<[string, Json, Json, readonly string[]]>([
    ["a missing member", { a: { type: "Any" } }, {}, ["a::verify_schema: expected Any, got missing"]],
    ["one of null", { a: { type: "Number" } }, { a: null }, ["a::verify_schema: expected Number, got Null"]],
    ["one that is inherited", { constructor: { type: "Any" } }, {}, ["constructor::verify_schema: expected Any, got missing"]],
    [
      "__proto__",
      JSON.parse('{"__proto__":{"type":"String"}}'),
      JSON.parse('{"__proto__":1}'),
      ["__proto__::verify_schema: expected String, got Number"],
    ],
    ["a name with dots", { "a.b": { type: "String" } }, { "a.b": 1 }, ['["a.b"]::verify_schema: expected String, got Number']],
    [
      "nothing is looked for inside what is missing",
      { a: { b: { c: { type: "Any" } } } },
      {},
      ["a::verify_schema: expected Object, got missing"],
    ],
    ["an element", [{ type: "Any" }, [{ type: "Any" }]], [0], ["[1]::verify_schema: expected Array, got missing"]],
    ["a member of an element", { l: [{ id: { type: "Number" } }] }, { l: [{}] }, ["l[0].id::verify_schema: expected Number, got missing"]],
  ])("%s", (_, structure, target, errors) => {
    expect(judged(structure, target)).toEqual({ errors, code: undefined });
  });

  it("unknown keys come last, at every depth, also in objects of a list", () => {
    const structure = { a: { b: { type: "Any" } }, l: [{ c: { type: "Any" } }], z: { type: "Any" } };
    const target = { x: 1, a: { y: 1, b: 1 }, l: [{ c: 1, w: 1 }] };
    expect(judged(structure, target, true)).toMatchObject({
      errors: [
        "z::verify_schema: expected Any, got missing",
        "a.y::verify_schema: unknown key",
        "l[0].w::verify_schema: unknown key",
        "x::verify_schema: unknown key",
      ],
    });
  });

  it("what an object leaf holds is free", () => {
    expect(judged({ o: { type: "Object" } }, { o: { any: 1 } }, true)).toBe(true);
  });
});

function planned(verify: string, input = "a|body|") {
  const text = `name: c\ninterfaces:\n  c:\n    method: POST\n    actions:\n      - name: Body\n        input: ${input}\n        assert: { tests: [{ ${verify} }] }\n`;
  const { plans, diagnostics } = planTexts([{ file: "c.yml", text }]);
  return {
    found: diagnostics.filter(({ severity }) => severity === "error").map(({ code, message }) => `${code}: ${message}`),
    input: plans[0]?.interfaces[0]?.contract.input,
  };
}

describe("tests of leaves", () => {
  it("are checked like any other", () => {
    const { found } = planned("verify_schema: { structure: { a: { type: String, validate: { is_greater_than: [1], is_empty: true } } } }");
    expect(found.map((each) => each.slice(0, 5))).toEqual(["PW114", "PW424"]);
  });

  it("may wait", () => {
    expect(planned("verify_schema: { structure: { a: { type: String, validate: { verify_bcrypt: x } } } }").found).toEqual([]);
  });

  it("have no markers in their structure", () => {
    expect(planned("verify_schema: { structure: { a: { type: a|body::t| } } }").found.map((each) => each.slice(0, 5))).toEqual(["PW423"]);
  });
});

describe("what it says of the body (spec/surfaces 6.1)", () => {
  it("members, required and closed, with what tests of leaves say", () => {
    const { input } = planned(
      "verify_schema: { disallow_unknown_keys: true, structure: { name: { type: String, validate: { is_not_empty: true } }, opts: { on: { type: Boolean } } } }",
    );
    expect(input).toEqual({
      type: "object",
      additionalProperties: false,
      properties: {
        name: { type: "string", minLength: 1 },
        opts: { type: "object", additionalProperties: false, properties: { on: { type: "boolean" } }, required: ["on"] },
      },
      required: ["name", "opts"],
    });
  });

  it("a value that may be missing requires nothing", () => {
    const { input } = planned("value: user, is_not_null: false, verify_schema: { structure: { id: { type: Number } } }");
    expect(input).toEqual({ type: "object", properties: { user: { type: "object", properties: { id: { type: "number" } } } } });
  });

  it.each<[Json, JsonSchema]>([
    [{ type: "Any" }, {}],
    [{ type: "Null" }, { type: "null" }],
    [[{ type: "String" }, { type: "Any" }], { type: "array", prefixItems: [{ type: "string" }, {}], minItems: 2 }],
    [{}, { type: "object", properties: {}, required: [] }],
  ])("%j", (structure, schema) => {
    expect(spec.describe?.({ structure })).toEqual(schema);
  });
});
