import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { renderFrames } from "../../../compiler/diagnostics/frame.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { typeFaults } from "../../../compiler/types/faults.ts";
import { diagnosticsOf } from "../../../compiler/types/origin.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { palette, randomConfig } from "../../harness/random/config.ts";
import { draws, seed } from "../../harness/rules/words.ts";

// A printed module says what the data of its actions are, and the type checker follows what others read of them.

const text = `name: Shop
global: { databases: { main: { driver: sqlite, conn_string: "sqlite::memory:" } } }
interfaces:
  orders/get:
    method: GET
    route: /orders/:id
    actions:
      - name: Load
        database: main
        query: SELECT id AS id, total AS total FROM orders WHERE id = ?
        params: ["a|params::id|"]
      - name: Ask
        http: { url: "https://rates.example/eur" }
      - name: Answer
        json_output:
          id: a|Load::[0].id|
          all: a|Load::[*].total|
          kind: a|Ask::headers.content-type|
          rate: a|Ask::body.rate|
`;

/** The text that people would see of a module in which the type checker finds something. */
async function seen(yaml: string, change: (code: string) => string): Promise<string> {
  const plan = planTexts([{ file: "shop.yaml", text: yaml }]);
  const [module] = await printAll(plan);
  if (module === undefined) throw new Error("nothing was printed");
  const code = change(module.code);
  return renderFrames(diagnosticsOf(typeFaults([{ ...module, code }]), plan.sources), plan.sources);
}

/** The place and the reason of a finding, which stand in its first line. */
const first = (frames: string): string => frames.split("\n")[0] ?? "";

test("the types of data stand before the interface", async () => {
  const [module] = await printAll(planTexts([{ file: "shop.yaml", text }]));
  expect(
    /\/\*\* Data [\s\S]*?\n}/.exec(module?.code ?? "")?.[0],
  ).toBe(`/** Data that the actions leave when they succeed, as far as others read them. */
interface OrdersGetData {
  Load: Record<"id" | "total", pw.Json>[];
  Ask: pw.HttpAnswer;
}`);
  expect(await seen(text, (code) => code)).toBe("");
});

describe("a finding in a reading is shown at its marker", () => {
  test.each([
    ['pw.at(Load.data, 0, "id")', 'pw.at(Load.data, 0, "idd")', "shop.yaml:16:15", "idd"],
    ['pw.each(Load.data, "total")', 'pw.each(Load.data, "totl")', "shop.yaml:17:16", "totl"],
    ['pw.at(Ask.data, "headers", "content-type")', 'pw.at(Ask.data, "haeders", "content-type")', "shop.yaml:18:17", "haeders"],
    ['pw.at(Ask.data, "body", "rate")', 'pw.at(Load.data, "body", "rate")', "shop.yaml:19:17", "body"],
  ])("%s", async (right, wrong, place, name) => {
    const shown = await seen(text, (code) => code.replace(right, wrong));
    expect(first(shown)).toContain(`${place}: error PW701: the printed module does not type-check: `);
    expect(first(shown)).toContain(`NoMember<"${name}">`);
    expect(shown).toContain("1 error\n");
  });

  test("the shape that the compiler has inferred is wrong", async () => {
    const shown = await seen(text, (code) => code.replace('Record<"id" | "total", pw.Json>[]', "{ number: string }[]"));
    expect(shown).toContain("shop.yaml:16:15: error PW701");
    expect(shown).toContain("2 errors\n");
  });
});

describe("a body that is accepted has the type of its schema", () => {
  const taking = (schema: string, extra = ""): string => `name: Shop
interfaces:
  orders:
    method: POST
    accepts: { enforce: true, schema: ${schema} }
    actions:
      - { name: Made, json_output: { email: a|body::email|, qty: "a|body::items[0].qty|", note: a|body::note.of| } }
      - { name: Each, lookup: a|body::items|, actions: [{ name: One, json_output: { id: "a|body::email.id|" } }] }
${extra}`;
  const schema =
    "{ type: object, properties: { email: { type: string }, items: { type: array, items: { type: object, properties: { qty: { type: integer } } } } } }";

  test.each([
    ['pw.at(cx.body, "email")', 'pw.at(cx.body, "email", "at")', "shop.yaml:7:23", "at"],
    ['pw.at(cx.body, "items", 0, "qty")', 'pw.at(cx.body, "items", "first", "qty")', "shop.yaml:7:23", "first"],
  ])("%s", async (right, wrong, place, name) => {
    expect(await seen(taking(schema), (code) => code)).toBe("");
    const shown = await seen(taking(schema), (code) => code.replace(right, wrong));
    expect(first(shown)).toContain(`${place}: error PW701: the printed module does not type-check: `);
    expect(first(shown)).toContain(`NoMember<"${name}">`);
  });

  test.each([
    ["a warning is no error of types", schema, "      - { name: Lost, json_output: { of: a|body::email.of| } }\n"],
    [
      "a list that only `items` implies",
      "{ type: object, properties: { email: { items: {} } } }",
      "      - { name: B, input: a|body::email.x| }\n",
    ],
    ["what a pattern says", '{ type: object, patternProperties: { "^n": { type: number } } }', ""],
  ])("%s", async (_, of, extra) => {
    expect(await seen(taking(of, extra), (code) => code)).toBe("");
    const [module] = await printAll(planTexts([{ file: "shop.yaml", text: taking(of, extra) }]));
    expect(module?.code).toContain("const orders_accepts = ");
    expect(module?.code).not.toContain("<OrdersInput>");
  });
});

test.each(["a|Load->default()->path(a.b)|", "a|Load->default(a|Other|)->path(a.b)|"])(
  "a warning behind a fallback is no error of types: %s",
  async (read) => {
    const yaml = `name: a
interfaces:
  a:
    method: GET
    actions:
      - { name: Load, json_output: { x: 1 } }
      - { name: Other, json_output: { y: 1 } }
      - { name: Sum, json_output: [a|Load::x|, a|Other::y|] }
      - { name: Lost, json_output: ${read} }
`;
    const plan = planTexts([{ file: "a.yaml", text: yaml }]);
    expect(plan.diagnostics.map(({ code }) => code)).toEqual(["PW277"]);
    expect(typeFaults(await printAll(plan))).toEqual([]);
  },
);

describe("what nothing is known of is not printed", () => {
  const typed = async (actions: string): Promise<string> => {
    const plan = planTexts([{ file: "a.yaml", text: `name: a\ninterfaces:\n  a:\n    method: POST\n    actions:\n${actions}` }]);
    expect(plan.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const [module] = await printAll(plan);
    if (module === undefined) throw new Error("nothing was printed");
    expect(typeFaults([module])).toEqual([]);
    return /interface \w+Data [\s\S]*?\n}/.exec(module.code)?.[0] ?? "";
  };

  test("data that are open", async () => {
    expect(await typed("      - { name: A, input: a|body| }\n      - { name: B, input: a|A::x| }\n")).toBe("");
  });

  test("data that only a gate asks about", async () => {
    expect(await typed("      - { name: A, json_output: { x: 1 } }\n      - { name: B, run_when_succeeded: [A], json_output: 1 }\n")).toBe(
      "",
    );
  });

  test("data of which a test asks what is not there", async () => {
    const absent = "      - name: B\n        input: a|A|\n        assert: { tests: [{ value: y, is_null: true }] }\n";
    expect(await typed(`      - { name: A, json_output: { x: 1 } }\n${absent}`)).toBe("");
    const target = '      - name: B\n        json_output: 1\n        assert: { tests: [{ value: "a|A::y|", is_null: true }] }\n';
    expect(await typed(`      - { name: A, json_output: { x: 1 } }\n${target}`)).toBe("");
  });

  test("what a failure has left is part of data that are read without asking for success", async () => {
    const failing = '      - { name: A, http: { url: "https://a.example/" }, post_transforms: [{ keep_attributes: [status] }] }\n';
    expect(await typed(`${failing}      - { name: B, input: a|A::status| }\n`)).toBe("interface AData {\n  A: { status: number };\n}");
    expect(await typed(`${failing}      - { name: B, json_output: { a: a|A::status|, b: a|A::body| } }\n`)).toContain("body?: pw.Json");
  });

  test("names of types make room for those of contracts", async () => {
    const yaml = `name: a
interfaces:
  a:
    method: POST
    accepts: { schema: { type: object, properties: { b: { $ref: "#/$defs/AData" } }, $defs: { AData: { type: object, properties: { c: { type: string } } } } } }
    actions:
      - { name: A, json_output: { x: 1 } }
      - { name: B, input: a|A::x| }
`;
    const [module] = await printAll(planTexts([{ file: "a.yaml", text: yaml }]));
    if (module === undefined) throw new Error("nothing was printed");
    expect(module.code).toMatch(/interface AData\w* \{\n {2}A: /);
    expect(typeFaults([module])).toEqual([]);
  });
});

/** A module without the types of its data, which stay in it unused. */
const untyped = (code: string): string => code.replace(/cx: pw\.RunOf<\w+>/g, "cx: pw.Run").replace(/^interface /gm, "export interface ");

const configs = draws(300);

test(
  `types of data add no error to ${configs} random configurations, seed ${seed}`,
  async () => {
    const drawn = fc.sample(randomConfig(await palette()), { numRuns: configs, seed });
    const modules = await Promise.all(
      drawn.map((config) => printOne(planned(stringify(config, { lineWidth: 0, aliasDuplicateObjects: false })))),
    );
    const faults = (all: typeof modules) => typeFaults(all).map(({ line, reason, module }) => [all.indexOf(module), line, reason]);
    expect(faults(modules)).toEqual(faults(modules.map((module) => ({ ...module, code: untyped(module.code) }))));
    // The law looks at types.
    expect(modules.filter(({ code }) => code.includes("pw.RunOf<")).length).toBeGreaterThan(configs / 10);
  },
  120_000 + configs * 4_000,
);
