import { describe, expect, test } from "vitest";
import { configRoots } from "../../../compiler/4-plan/markers/scope.ts";
import type { JsonSchema } from "../../../runtime/features/feature.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { evaluated, lowered, nodeOf, usual, value, type World } from "./lowering.ts";

const body = { n: 5, s: 'x"y', o: { k: [1] }, e: "", f: false, l: [{ id: 1 }, {}] };
const world: World = {
  body,
  params: { id: "7" },
  ip: { client: "10.0.0.1", country: "CH" },
  env: { E: "", F: "x" },
  vars: { m: { a: 1 } },
};

describe("worked examples of spec/language 2.12, and rules 2.1", () => {
  test.each<[string, Json]>([
    ["a|body::n|", 5],
    ['"a|body::n|"', 5],
    ["n=a|body::n|", "n=5"],
    ["a|body::q|", null],
    ['"[a|body::q|]"', "[]"],
    ["a|body::e|", ""],
    ["a|body::f|", false],
    ["a|body::q->default()|", null],
    ["a|body::q->default('')|", ""],
    ["a|body::q->default(a|params::id|)|", "7"],
    ["a|body::q->default(nr a|params::id|)|", "nr 7"],
    ["a|body::f->default(true)|", false],
    ["a|body::o|", { k: [1] }],
    ["a|body::o->json_stringify|", '{"k":[1]}'],
    ["json_stringify(a|body::o|)", '{"k":[1]}'],
    ["o=a|body::o|", 'o={"k":[1]}'],
    ["say double_quote(a|body::s|) twice", 'say "x\\"y" twice'],
    ["\\a|body::n|", "a|body::n|"],
    ["a|body::q|a|body::e2|", null],
    ["a|body::n|a|body::q|", "5"],
    ["a|body->o->k[0]|", 1],
    ["a|body::o->path(k[0])|", 1],
    ["a|body::l->map(id)|", [1, null]],
    ["a|body::o->access(k)|", [1]],
    ["a|ip|", { client: "10.0.0.1", country: "CH" }],
    ["from a|ip|", "from 10.0.0.1"],
    ["from a|ip::country|", "from CH"],
    ["a|env::E->default(d)|", "d"],
    ["a|env::F|", "x"],
    ["a|var::m.a|", 1],
    ["a|ap_var::none|", null],
    ["a|timestamp:dateutc|", "2024-02-29"],
    ["a|timestamp|", 1709209815],
    ["[1, 'a|body::n|', 'x-a|body::n|']", [1, 5, "x-5"]],
    ["{'k-a|params::id|': 1, 'a|body::none|': 2, plain: a|body::n|}", { "k-7": 1, plain: 5 }],
    ["{__proto__: a|body::n|}", JSON.parse('{"__proto__": 5}')],
  ])("v: %s", (yaml, expected) => {
    expect(value(`v: ${yaml}`, world)).toEqual(expected);
  });

  test("block scalars: text as written; one marker alone passes a value as text", () => {
    expect(value("v: |-\n  one a|body::n|\n  two a|body::n|", world)).toBe("one 5\ntwo 5");
    for (const mark of ["|", "|-", "|+", ">", ">-"]) expect(value(`v: ${mark}\n  a|body::o|\n\n`, world)).toBe('{"k":[1]}');
    expect(value("v: |\n  a|body::q|", world)).toBe(null);
    expect(value("v: |\n  x a|body::q|", world)).toBe("x \n");
  });

  test("what a caller sends is never scanned for markers", () => {
    const hostile: World = { body: { x: "a", y: "|uuid|", n: "a|env::F|" }, env: { F: "leak" } };
    expect(value("v: a|body::n|", hostile)).toBe("a|env::F|");
    expect(value("v: <a|body::n|>", hostile)).toBe("<a|env::F|>");
    expect(value("v: a|body::x|a|body::y|", hostile)).toBe("a|uuid|");
  });

  test("what is known now is one literal", () => {
    expect(lowered("v: {a: [1, x, {b: null}], c: 'data|x|'}").expr).toEqual({
      op: "lit",
      value: { a: [1, "x", { b: null }], c: "data|x|" },
    });
  });
});

describe("typed fields (spec/language 2.7)", () => {
  const duration: JsonSchema = { type: ["string", "number"], format: "duration" };
  test.each<[string, JsonSchema, Json]>([
    ["5", { type: "string" }, "5"],
    ["true", { type: "string" }, "true"],
    ["'25'", { type: "integer" }, 25],
    ["' 1.5 '", { type: "number" }, 1.5],
    ["'false'", { type: "boolean" }, false],
    ["1h30m", duration, 5_400_000],
    ["250", duration, 250],
    ["a", { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, ["a"]],
    ["[a, 1]", { type: "array", items: { type: "string" } }, ["a", "1"]],
    ["42", {}, 42],
    ["42", { type: ["string", "number"] }, 42],
  ])("v: %s", (yaml, schema, expected) => {
    expect(lowered(`v: ${yaml}`, schema).expr).toEqual({ op: "lit", value: expected });
  });

  test.each([
    ["x", { type: "integer" }, "PW114@3-4: 'v': expected integer, got string"],
    ["1.5", { type: "integer" }, "PW114@3-6: 'v': expected integer, got number"],
    ["soon", duration, "PW114@3-7: 'v': 'soon' is no duration, such as 500ms, 30s or 1h30m"],
    ["1", { type: "boolean" }, "PW114@3-4: 'v': expected boolean, got number"],
  ])("PW114: %s", (yaml, schema, message) => {
    expect(lowered(`v: ${yaml}`, schema).found).toEqual([message]);
  });

  test("a marker is coerced when it has its value", () => {
    expect(value("v: a|body::d|", { body: { d: "5ms" } }, duration)).toBe(5);
    expect(value("v: a|body::d|", { body: { d: 7 } }, duration)).toBe(7);
    expect(value("v: 1.a|body::d|", { body: { d: "s" } }, { type: "string" })).toBe("1.s");
    expect(value("v: a|body::n|", { body: { n: "12" } }, { type: "integer" })).toBe(12);
    expect(value("v: a|body::n|", {}, { type: "integer" })).toBe(null);
    expect(value("v: a|body::n|", { body: { n: 12 } }, { type: "string" })).toBe("12");
    const record: JsonSchema = { type: "object", properties: { wait_seconds: duration, port: { type: "integer" } }, required: ["port"] };
    expect(value("v: {wait_seconds: a|body::w|, port: a|body::p|}", { body: { w: 2, p: 80 } }, record)).toEqual({
      wait_seconds: 2000,
      port: 80,
    });
    const { expr } = lowered("v: {wait_seconds: a|body::w|, port: a|body::p|}", record);
    expect(() => evaluated(expr, { body: { p: "x" } })).toThrow("field port: expected integer, got 'x'");
    expect(() => evaluated(expr, {})).toThrow("field port: expected integer, got null");
  });

  test("null leaves a declared key out, and stays in a free map", () => {
    const record: JsonSchema = { type: "object", properties: { a: { type: "string" }, b: {} } };
    expect(value("v: {a: null, b: {c: null}}", {}, record)).toEqual({ b: { c: null } });
  });

  test("static fields take no marker, however deep (PW207)", () => {
    const schema: JsonSchema = { context: "static", anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] };
    expect(lowered("v: a|var::m|", schema).found).toEqual(["PW207@3-12: 'v' must be static (no markers)"]);
    expect(lowered("v: [GET, a|var::m|]", schema).found).toEqual(["PW207@9-18: 'v' must be static (no markers)"]);
    expect(lowered("v: [GET, POST]", schema).expr).toEqual({ op: "lit", value: ["GET", "POST"] });
  });

  test("the shape of a union is chosen by the kind of the value and its keys", () => {
    const schema: JsonSchema = {
      anyOf: [
        { type: "string" },
        { type: "object", properties: { at: { type: "string" } } },
        { type: "object", properties: { every: { type: "string", format: "duration" } } },
      ],
    };
    expect(value("v: {every: 1s}", {}, schema)).toEqual({ every: 1000 });
    expect(value("v: {at: 5}", {}, schema)).toEqual({ at: "5" });
  });
});

describe("names (spec/language 2.4)", () => {
  test("an action is read, and the place that reads it is known", () => {
    const { expr, scope, found } = lowered("v: 'x a|User::id| a|previous::n|'");
    expect(found).toEqual([]);
    expect(expr).toMatchObject({
      parts: ["x ", { of: { op: "at", of: { op: "action", name: "User" } } }, " ", { of: { of: { name: "User" } } }],
    });
    expect([...scope.reads]).toEqual([["User", { file: "t.yml", start: 6, end: 17 }]]);
  });

  test("an action's own name is its data at this point, once it has some", () => {
    expect(lowered("v: a|Self::n|", {}, { selfIsData: true }).expr).toEqual({ op: "at", of: { op: "data" }, path: ["n"] });
    const before = lowered("v: a|Self::n|");
    expect([...before.scope.reads.keys()]).toEqual(["Self"]);
  });

  test.each([
    ["x a|Usr::id|", "PW301@5-15: unknown action or root 'Usr' (did you mean 'User'?)"],
    ["x a|bdy|", "PW301@5-11: unknown action or root 'bdy' (did you mean 'body'?)"],
    ["a|either b or c|", "PW301@3-19: unknown action or root 'either b or c'"],
    ["a|body::a[|", "PW202@3-14: marker is not terminated on this line"],
    ["a|body::a..b|", "PW209@3-16: bad path 'a..b': empty key (column 3)"],
    ["a|body::l->map(a..b)|", "PW209@3-24: bad path 'a..b': empty key (column 3)"],
    ["a|timestamp:iso|", "PW204@3-19: bad timestamp format 'iso'"],
    ["a|env|", "PW203@3-9: empty part in marker"],
    ["a|template::Nope|", "PW308@3-20: unknown template 'Nope'"],
  ])("v: %s", (yaml, message) => {
    expect(lowered(`v: ${yaml}`).found).toEqual([message]);
  });

  test("on the first action nothing is previous", () => {
    expect(lowered("v: a|previous|", {}, { previous: undefined }).found).toEqual(["PW301@3-14: unknown action or root 'previous'"]);
  });

  test("only roots that exist already may be used in variables (PW206)", () => {
    const found = (yaml: string): readonly string[] =>
      lowered(yaml, {}, { actions: new Set(), previous: undefined, allowed: configRoots }).found;
    expect(found("v: a|body::x|")).toEqual(["PW206@3-13: root 'body' cannot be used here"]);
    expect(found("v: a|env::x| a|timestamp|")).toEqual([]);
  });

  test("a variable is doubtful only when it is nearly one of the file's own (PW308)", () => {
    const variables = new Set(["REGION"]);
    expect(lowered("v: a|var::REGOIN|", {}, { variables }).found).toEqual([
      "PW308@3-17: unknown variable 'REGOIN' (did you mean 'REGION'?)",
    ]);
    expect(lowered("v: a|var::OTHER|", {}, { variables }).found).toEqual([]);
  });

  test("needs are names without default or local value", () => {
    const { scope } = lowered("v: a|env::A| a|env::B->default(x)| a|var::C.d| a|var::L| a|ap_var::E|", {}, { variables: new Set(["L"]) });
    expect([...scope.needs.env, ...scope.needs.vars]).toEqual(["A", "C", "E"]);
    expect([...scope.variableReads.keys()]).toEqual(["C", "L"]);
  });

  test("a text without files beside it can include nothing", () => {
    const { found } = lowered("v: a|include::k| a|secret::S|");
    expect(found).toEqual(["PW145@3-16: include 'k' is not readable"]);
  });

  test("a secret must be set, unless there is a default; the action around fetches it", () => {
    const { expr, scope } = lowered("v: [a|secret::S|, a|secret::T::k->default(x)|]");
    expect(expr).toEqual({
      op: "list",
      items: [
        { op: "filter", use: "stored", of: { op: "root", root: "secret", name: "S" }, args: [{ op: "lit", value: "S" }] },
        {
          op: "or",
          of: { op: "at", of: { op: "root", root: "secret", name: "T" }, path: ["k"] },
          instead: { op: "lit", value: "x" },
          at: expect.anything(),
        },
      ],
    });
    expect([...scope.secrets.keys()]).toEqual(["S", "T"]);
    expect([...scope.needs.secrets]).toEqual(["S"]);
  });
});

describe("templates", () => {
  const templates = new Map([
    ["Hi", nodeOf("v: Hello a|body::n|!")],
    ["A", nodeOf("v: a|template::B|")],
    ["B", nodeOf("v: x a|template::A|")],
    ["Bad", nodeOf("v: a|Elsewhere|")],
    ...Array.from({ length: 40 }, (_, i) => [`T${i}`, nodeOf(`v: a|template::T${i + 1}|a|template::T${i + 1}|`)] as const),
    ["T40", nodeOf("v: x")],
  ]);

  test("are filled in the scope of the use site", () => {
    expect(value("v: a|template::Hi|", world, {}, { templates })).toBe("Hello 5!");
    expect(value("v: a|template::Hi->upper|", world, {}, { templates })).toBe("HELLO 5!");
  });

  test("that contain each other are PW307", () => {
    expect(lowered("v: a|template::A|", {}, { templates }).found).toEqual([
      expect.stringContaining("PW307@5-19: variables refer to each other: A -> B -> A"),
    ]);
  });

  test("show their mistakes in their own text", () => {
    expect(lowered("v: 'long enough a|template::Bad|'", {}, { templates }).found).toEqual([
      "PW301@3-15: unknown action or root 'Elsewhere'",
    ]);
  });

  test("cannot grow without bound", () => {
    expect(lowered("v: a|template::T0|", {}, { templates }).found.join()).toContain("PW700");
  });
});

describe("places", () => {
  test.each([
    ["v: 'it''s a|Nope|'", "a|Nope|"],
    ['v: "a \\" b a|Nope|"', "a|Nope|"],
    ["v: |\n    first a|User|\n    then a|Nope|\n", "a|Nope|"],
    ["v: >\n  a|Nope| and\n  a|User|\n", "a|Nope|"],
    ["v: {'k a|Nope|': 1}", "a|Nope|"],
    ['v: "a|Nope->default(\\"x\\")|"', '"a|Nope->default(\\"x\\")|"'],
  ])("%j", (yaml, marked) => {
    const [only = "", ...more] = lowered(yaml).found;
    const [, start, end] = /@(\d+)-(\d+)/.exec(only) ?? [];
    expect(more).toEqual([]);
    expect(yaml.slice(Number(start), Number(end))).toBe(marked);
  });

  test("of two equal markers the second keeps its own place", () => {
    const yaml = "v: a|User| a|Nope| a|Nope|";
    expect(lowered(yaml, {}, usual).found.map((text) => text.split(":")[0])).toEqual(["PW301@11-18", "PW301@19-26"]);
  });
});
