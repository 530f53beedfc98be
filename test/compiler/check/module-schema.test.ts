import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { root } from "../../harness/folders.ts";
import { run } from "../../harness/terminal.ts";

// The schema that editors use for files below modules/, as it is published beside that of configurations and as the command prints it.

const generated = (file: string): object => JSON.parse(readFileSync(new URL(`generated/${file}`, root), "utf8"));
const settings = { strict: false, allErrors: false, validateFormats: false };

const published = new Ajv2020(settings).addSchema(generated("schema.json"), "schema.json").compile(generated("module.schema.json"));
const printed = new Ajv2020(settings).compile(JSON.parse((await run(".", "schema", "--modules")).out));

const assertion = { tests: [{ value: "a|headers::x-key|", is_equal_to: "a|secret::KEY|" }] };

describe.each([
  ["published", published],
  ["printed", printed],
])("the %s schema", (_, accepts) => {
  test.each([
    ["a database", { type: "Database", spec: { driver: "postgres", conn_string: "a|env::URL|" } }],
    ["an assert", { type: "Assert", spec: assertion }],
    ["an action", { type: "Action", spec: { name: "Step", json_output: { x: 1 } } }],
    ["a network policy", { type: "NetworkPolicy", spec: { ip: { allow: ["10.0.0.0/8"] } } }],
    ["a bare assert", assertion],
    ["a bare action", { name: "Step", http: { url: "https://example.com" } }],
  ])("takes %s", (_, module) => {
    expect([accepts(module), accepts.errors]).toEqual([true, null]);
  });

  test.each([
    ["another type", { type: "Interface", spec: {} }],
    ["an unknown key of the value", { type: "Assert", spec: { test: [] } }],
    ["a key beside type and spec", { type: "Assert", spec: assertion, name: "x" }],
    ["a configuration", { name: "Shop", interfaces: { a: { actions: [] } } }],
    ["a text", "a|module::other|"],
  ])("refuses %s", (_, module) => {
    expect(accepts(module)).toBe(false);
  });
});

describe("the schema of configurations", () => {
  const { $defs } = generated("schema.json") as { readonly $defs: Readonly<Record<string, { properties?: Record<string, object> }>> };

  test.each([
    ["Interface", "input"],
    ["Interface", "tests"],
    ["Action", "data_hide"],
  ])("%s.%s is known and not completed", (record, key) => {
    expect($defs[record]?.properties?.[key]).toMatchObject({ doNotSuggest: true });
  });

  test("a text that is no duration is told what one is", () => {
    expect(JSON.stringify($defs.Http?.properties?.timeout)).toContain('"patternErrorMessage":"A duration is');
  });
});
