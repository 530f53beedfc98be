import { describe, expect, it } from "vitest";
import { Names } from "../../../compiler/6-print/names.ts";
import { schemaTypes } from "../../../compiler/6-print/types/schema-type.ts";
import type { Json } from "../../../runtime/value/json.ts";

// Contracts as TypeScript: what an author writes in a schema is shown and never becomes code.

const printed = (schema: Json): string => schemaTypes(schema, "X", new Names([]));

const member = (schema: Json): string => /a\?: ?([\s\S]*);\n\}$/.exec(printed({ type: "object", properties: { a: schema } }))?.[1] ?? "";

describe("the TypeScript of a JSON Schema", () => {
  it.each<[string, Json, string]>([
    ["anything", {}, "unknown"],
    ["nothing", false, "never"],
    ["a choice of types, null last", { type: ["null", "string"] }, "string | null"],
    ["constants, whatever their type is", { type: "object", const: { b: 1 } }, "{ b: 1 }"],
    ["a list of a choice", { type: "array", items: { enum: ["a", "b"] } }, '("a" | "b")[]'],
    ["items at places", { prefixItems: [{ type: "string" }], items: { type: "number" } }, "(string | number)[]"],
    ["items at places, before any others", { type: "array", prefixItems: [{ type: "string" }] }, "unknown[]"],
    ["a choice with something open", { anyOf: [{ type: "string" }, {}] }, "unknown"],
    ["parts, of which one only says that it is an object", { type: "object", allOf: [{ required: ["b"] }] }, "{\n    b: unknown;\n  }"],
    ["members of any name", { additionalProperties: { type: "number" } }, "{\n    [name: string]: number;\n  }"],
    [
      "members of any name beside one",
      { properties: { b: { type: "string" } }, additionalProperties: { type: "number" } },
      "{\n    b?: string;\n    [name: string]: unknown;\n  }",
    ],
    ["an object of which nothing is known", { type: "object" }, "Record<string, unknown>"],
    ["a reference to nothing", { $ref: "#/$defs/none" }, "unknown"],
    ["a reference that is no address", { $ref: "#/%zz" }, "unknown"],
    ["a reference to a server", { $ref: "https://example.com/schema.json" }, "unknown"],
  ])("%s", (_, schema, expected) => expect(member(schema)).toBe(expected));

  it("puts a long choice below each other", () => {
    const words = Array.from({ length: 20 }, (_, i) => `word-${i}`);
    expect(member({ enum: words })).toBe(words.map((word) => `\n    | "${word}"`).join(""));
  });

  it("names what a reference stands for, also where it holds itself", () => {
    const tree = { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/tree" } } } };
    const text = printed({ $ref: "#/$defs/tree", $defs: { tree } });
    expect(text).toBe("export type X = XTree;\n\nexport interface XTree {\n  kids?: XTree[];\n}");
    expect(printed({ anyOf: [{ $ref: "#" }, { type: "null" }] })).toBe("export type X = unknown;");
    expect(printed({ type: "object", additionalProperties: { $ref: "#" } })).toBe("export interface X {\n  [name: string]: X;\n}");
  });

  it("is an interface for one object alone", () => {
    const properties = { d: { type: "string" } };
    expect(printed({ type: "object", properties })).toBe("export interface X {\n  d?: string;\n}");
    expect(printed({ type: ["object", "null"], properties })).toBe("export type X = {\n  d?: string;\n} | null;");
    expect(printed({ type: ["object", "array"], properties })).toBe("export type X = {\n  d?: string;\n} | unknown[];");
    expect(printed({ type: "array", items: { type: "object", properties } })).toBe("export type X = {\n  d?: string;\n}[];");
    const part = { type: ["object", "null"], properties };
    expect(printed({ $ref: "#/$defs/p", $defs: { p: part } })).toBe("export type X = XP;\n\nexport type XP = {\n  d?: string;\n} | null;");
  });

  it("keeps texts of the author texts", () => {
    const schema = { description: "ends */ here\n\u2028next", deprecated: true, enum: ['"; evil()', "`evil()`"] };
    const text = printed({ type: "object", properties: { "*/ evil": schema, __proto__: {} }, required: ["*/ evil", "__proto__"] });
    expect(text).toBe(
      [
        "export interface X {",
        "  /**",
        "   * ends *\\/ here",
        "   * next",
        "   * @deprecated",
        "   */",
        '  "*/ evil": "\\"; evil()" | "`evil()`";',
        '  ["__proto__"]: unknown;',
        "}",
      ].join("\n"),
    );
  });
});
