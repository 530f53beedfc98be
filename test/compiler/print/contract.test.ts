import { describe, expect, it } from "vitest";
import { contractTypes } from "../../../compiler/6-print/contract.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import type { InterfacePlan } from "../../../runtime/plan/index.ts";
import type { Json } from "../../../runtime/value/json.ts";

// The tests of an interface describe its input and output (spec/surfaces 6.1, spec/language 7.10), also as TypeScript.

function planned(actions: string, rest = ""): InterfacePlan {
  const text = `name: c\ninterfaces:\n  posts/create:\n    method: POST\n    output: http\n    actions:\n${actions}${rest}`;
  const { plans, diagnostics } = planTexts([{ file: "c.yml", text }]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const [plan] = plans[0]?.interfaces ?? [];
  if (plan === undefined) throw new Error("nothing was planned");
  return plan;
}

const body = (...tests: readonly string[]): string =>
  `      - name: Body\n        input: a|body|\n        assert: { tests: [${tests.map((test) => `{${test}}`).join(", ")}] }\n`;

const inputOf = (actions: string, rest = ""): Json | undefined => planned(actions, rest).contract.input;

const object = (properties: Json, ...required: readonly string[]): Json => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required: [...required] }),
});

describe("what tests say of the body", () => {
  it.each<[string, string[], Json]>([
    [
      "texts",
      ["value: t, is_not_empty: true, is_less_than: 9, is_uuid: true"],
      object({ t: { type: "string", minLength: 1, maxLength: 8, format: "uuid" } }, "t"),
    ],
    [
      "numbers",
      ["value: n, is_greater_than: 0", "value: n, is_less_than_or_equal_to: 9"],
      object({ n: { type: "number", exclusiveMinimum: 0, maximum: 9 } }, "n"),
    ],
    [
      "bounds of two tests",
      ["value: n, is_between: {min: 1, max: 9}", "value: n, is_between: {min: 3, max: 20}"],
      object({ n: { type: "number", minimum: 3, maximum: 9 } }, "n"),
    ],
    ["constants", ["value: kind, is_equal_to: post"], object({ kind: { type: "string", const: "post" } }, "kind")],
    [
      "words without case",
      ["value: kind, is_equal_to: post, case_insensitive: true"],
      object({ kind: { type: "string", pattern: "^(?:[pP][oO][sS][tT])$" } }, "kind"),
    ],
    [
      "words of a list without case",
      ["value: kind, contains: {allowed: [a1, b.]}, case_insensitive: true"],
      object({ kind: { type: "string", pattern: "^(?:[aA]1|[bB]\\.)$" } }, "kind"),
    ],
    [
      "what a text is not, without case",
      ["value: kind, is_not_equal_to: post, case_insensitive: true"],
      object({ kind: { not: { type: "string", pattern: "^(?:[pP][oO][sS][tT])$" } } }, "kind"),
    ],
    [
      "parts of a text without case",
      ["value: kind, is_not_empty: true, contains: a.1, case_insensitive: true"],
      object({ kind: { type: "string", minLength: 1, pattern: "[aA]\\.1" } }, "kind"),
    ],
    ["words", ["value: kind, contains: {allowed: [a, b]}"], object({ kind: { enum: ["a", "b"] } }, "kind")],
    [
      "words of a text",
      ["value: kind, is_not_empty: true, contains: {allowed: [a, b], disallowed: [c]}"],
      object({ kind: { type: "string", minLength: 1, enum: ["a", "b"], not: { enum: ["c"] } } }, "kind"),
    ],
    [
      "words of a list",
      ["value: tags, is_array: true, contains: {allowed: [a, b]}"],
      object({ tags: { type: "array", items: { enum: ["a", "b"] } } }, "tags"),
    ],
    [
      "words of a list, and words that are not in it",
      ["value: tags, is_array: true, contains: {allowed: [a], disallowed: [b]}"],
      object(
        { tags: { type: "array", allOf: [{ items: { enum: ["a"] } }, { items: { not: { enum: ["b"] } } }], not: { enum: ["b"] } } },
        "tags",
      ),
    ],
    [
      "several values of a text",
      ["value: t, is_not_empty: true, contains: {values: [a, b], at_least: 2}"],
      object({ t: { type: "string", minLength: 1, description: 'Has at least 2 of ["a","b"].' } }, "t"),
    ],
    [
      "two patterns",
      ['value: t, regex: "^a", ends_with: z'],
      object({ t: { type: "string", allOf: [{ pattern: "^a" }, { pattern: "z$" }] } }, "t"),
    ],
    ["a token", ["value: t, is_valid_jwt: a|env::KEY|"], object({ t: { type: "string", description: "A JSON Web Token." } }, "t")],
    [
      "paths of jq",
      ["jq: .a.b, is_uuid: true", 'jq: ".a | length", is_equal_to: 1', "jq: '.l[0].c', is_uuid: true"],
      object(
        {
          a: object({ b: { type: "string", format: "uuid" } }, "b"),
          l: { type: "array", minItems: 1, prefixItems: [object({ c: { type: "string", format: "uuid" } }, "c")] },
        },
        "a",
        "l",
      ),
    ],
    ["optional values", ["value: t, is_not_null: false, is_not_empty: true"], object({ t: { type: "string", minLength: 1 } })],
    ["what must be absent", ["value: t, is_null: true"], object({ t: { type: "null" } })],
    ["contradictions", ["value: t, is_uuid: true", "value: t, is_array: true"], object({ t: { format: "uuid" } }, "t")],
    ["dotted paths", ["value: a.b, is_not_empty: true"], object({ a: object({ b: { type: "string", minLength: 1 } }, "b") }, "a")],
    [
      "elements",
      ['value: "a[0].b", is_uuid: true'],
      object({ a: { type: "array", minItems: 1, prefixItems: [object({ b: { type: "string", format: "uuid" } }, "b")] } }, "a"),
    ],
    ["pointers", ["pointer: /a/b, is_uuid: true"], object({ a: object({ b: { type: "string", format: "uuid" } }, "b") }, "a")],
    ["the size of the list", ["value: count(), is_greater_than: 1, is_less_than: 9"], { type: "array", minItems: 2, maxItems: 8 }],
    ["its exact size", ["value: count(), is_equal_to: 3"], { type: "array", minItems: 3, maxItems: 3 }],
    [
      "descriptions",
      ["value: t, is_uuid: true, description: Its id"],
      object({ t: { type: "string", format: "uuid", description: "Its id" } }, "t"),
    ],
    ["operands that are markers: only that there is a value", ["value: t, is_equal_to: a|env::SECRET|"], object({ t: {} }, "t")],
  ])("%s", (_, tests, expected) => {
    expect(inputOf(body(...tests))).toEqual(expected);
  });

  it("follows actions that pass the body on, and markers", () => {
    const again =
      "      - name: Again\n        input: a|Body|\n        assert: { tests: [{value: x, is_uuid: true}, {value: a|body::y|, is_array: true}] }\n";
    expect(inputOf(`      - name: Body\n        input: a|body|\n${again}`)).toEqual(
      object({ x: { type: "string", format: "uuid" }, y: { type: "array" } }, "x", "y"),
    );
  });

  it("says nothing of what an action has reshaped, of headers and of other data", () => {
    const shaped = "      - name: Shaped\n        input: a|body|\n        post_transforms: [{extract_value: x}]\n";
    const tested =
      "      - name: T\n        input: a|Shaped|\n        assert: { tests: [{value: x, is_uuid: true}, {value: a|headers::y|, is_uuid: true}] }\n";
    expect(inputOf(shaped + tested)).toBeUndefined();
  });

  it("demands nothing for an action that may not run", () => {
    const guarded = "        run_on_assertion: { tests: [{value: a|body::kind|, is_equal_to: x}] }\n";
    expect(inputOf(body("value: t, is_uuid: true") + guarded)).toEqual(object({ t: { type: "string", format: "uuid" } }));
  });

  it("gives way to accepts.schema", () => {
    expect(inputOf(body("value: t, is_uuid: true"), "    accepts: { schema: {type: object} }\n")).toEqual({ type: "object" });
  });
});

describe("what the interface-level assert says of the answer", () => {
  const rows = "      - name: Rows\n        json_output: []\n";
  const assert = "    assert: { tests: [{value: count(), is_greater_than: 0}, {value: '[0].id', is_greater_than: 0}] }\n";
  const data: Json = { type: "array", minItems: 1, prefixItems: [object({ id: { type: "number", exclusiveMinimum: 0 } }, "id")] };

  it("stands inside the envelope", () => {
    const wrap = (key: string, inner: Json): Json => object({ [key]: inner }, key);
    expect(planned(rows, assert).contract.output).toEqual(wrap("data", wrap("Rows", wrap("data", data))));
  });

  it("is the body where the body is the data", () => {
    expect(planned(rows, `${assert}    response: { custom_body: a|Rows| }\n`).contract.output).toEqual(data);
  });

  it("is unknown where the body is something else", () => {
    expect(planned(rows, `${assert}    response: { custom_body: done }\n`).contract.output).toBeUndefined();
  });
});

describe("the TypeScript of a contract", () => {
  it("is laid out like the rest of the module", async () => {
    const plan = planned(
      body("value: title, is_not_empty: true, description: Shown first", "value: author.email, is_not_null: false, is_not_empty: true"),
    );
    expect(contractTypes([plan]).get("posts/create")?.text).toBe(
      `export interface PostsCreateInput {
  /** Shown first */
  title: string;
  author?: {
    email?: string;
  };
}`,
    );
  });

  it("does without bounds that exclude each other", async () => {
    const schema = { type: "object", properties: { tags: { type: "array", minItems: 6, maxItems: 4 } }, required: ["tags"] };
    const plan = { ...planned(body()), contract: { input: schema } };
    expect(contractTypes([plan]).get("posts/create")?.text).toBe("export interface PostsCreateInput {\n  tags: unknown[];\n}");
  });

  it("gives definitions and equal names names of their own", async () => {
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/User" } }, $defs: { User: { type: "string" } } };
    const plan = { ...planned(body()), contract: { input: schema, output: schema } };
    const types = [...contractTypes([plan, { ...plan, name: "posts-create" }]).values()].map(({ text }) => text).join("\n");
    const declared = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    expect(new Set(declared).size).toBe(declared.length);
    expect(declared).toContain("PostsCreateInput_2");
  });
});
