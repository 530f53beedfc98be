import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { read } from "../../../compiler/1-read/index.ts";
import { checker, partChecker } from "../../../compiler/2-check/checker.ts";
import { assembleSchema } from "../../../compiler/2-check/schema.ts";
import { specs } from "./own-features.ts";

describe("a reference to a record that the language does not have", () => {
  const dangling = { $ref: "#/$defs/Htpp" };

  test.each([
    ["a key", { properties: { call: dangling } }],
    ["an item", { items: dangling }],
    ["a form", { anyOf: [{ type: "string" }, dangling] }],
    ["a name that the author chooses", { additionalProperties: { properties: { call: dangling } } }],
    ["what must not be", { not: dangling }],
  ])("stops the language from being assembled: %s", (_, schema) => {
    const transforms = { choose: { summary: "Refers to nothing.", schema } };
    expect(() => checker({ ...specs, transforms })).toThrow(
      /^Transform\.choose.* refers to #\/\$defs\/Htpp, and the language has no such record$/,
    );
  });

  test("stops one part of the language, too", () => {
    expect(() => partChecker(specs, "Tset")(read("a: 1", "t.yml", () => undefined)?.root ?? never(), () => undefined)).toThrow(
      "the language has no record Tset",
    );
  });
});

function never(): never {
  throw new Error("the text is no document");
}

describe("the published schema", () => {
  const schema = assembleSchema(specs);
  const validate = new Ajv2020({ strict: false }).compile(schema);

  test("is a schema that accepts and refuses what the compiler does", () => {
    const config = (a: object): object => ({ name: "t", "x-note": 1, interfaces: { t: { actions: [{ name: "A", ...a }] } } });
    expect(validate(config({ delay: "1h30m", post_transforms: [{ return_row: "a|body::n|" }] }))).toBe(true);
    expect(validate(config({ delay: "soon" }))).toBe(false);
    expect(validate(config({ post_transforms: [{ return_row: "x" }] }))).toBe(false);
    expect(validate(config({ foo: 1 }))).toBe(false);
    expect(validate(config({ run_when_succeeded: [5] }))).toBe(false);
    expect(validate(config({ url: "older names are known" }))).toBe(true);
    expect(validate({ name: "t", interfaces: { t: { params: { free: null, page: { required: true } }, actions: [] } } })).toBe(true);
  });

  test("has no private words, and a description for every key", () => {
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      for (const [key, value] of Object.entries(node)) {
        if (key === "properties") {
          for (const [name, property] of Object.entries(value)) {
            expect(property, `${path}/${name}`).toHaveProperty("description");
            walk(property, `${path}/${name}`);
          }
        } else {
          expect(["context", "unsupported"], path).not.toContain(key);
          walk(value, `${path}/${key}`);
        }
      }
    };
    const { Transform: _, ...records } = schema.$defs as Record<string, unknown>;
    walk({ ...schema, $defs: records }, "");
  });
});
