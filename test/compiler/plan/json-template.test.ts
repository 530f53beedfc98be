import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lowerResponseBody } from "../../../compiler/4-plan/lower/values.ts";
import { scope } from "../../../compiler/4-plan/markers/scope.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { isNumberText } from "../../../runtime/value/values.ts";
import { evaluated, nodeOf, usual, value, type World } from "./lowering.ts";

const lines = (template: string): string => template.replace(/^/gm, "  ");

/** The value form of a template. */
const asValue = (template: string, body: Json = {}): Json => value(`v: |\n${lines(template)}`, { body }, { context: "json" });

/** The body of a response: its kind, and its text or value. */
function asBody(yaml: string, world: World): [string, Json] {
  const cx = { report: () => undefined, scope: scope(usual), definitions: {} };
  const { as, of } = lowerResponseBody(nodeOf(yaml), cx);
  return [as, evaluated(of, world)];
}

const asText = (template: string, body: Json = {}): Json => asBody(`v: |-\n${lines(template)}`, { body })[1];

describe("value form", () => {
  const body = { n: 5, s: 'x"y\n', digits: "42", zero: "007", big: "12345678901234567890", e: "", t: "true", o: { k: 1 }, text: '{"a":1}' };
  test.each<[string, Json]>([
    ['{ "s": "a|body::s|" }', { s: 'x"y\n' }],
    ['{ "s": "<a|body::none|>" }', { s: "<>" }],
    ['{ "s": "a|body::none|" }', { s: "" }],
    ['{ "n": a|body::n|, "q": a|body::none|, "e": a|body::e| }', { n: 5, q: null, e: null }],
    ['{ "n": a|body::digits|, "t": a|body::t| }', { n: 42, t: true }],
    ['{ "n": "a|body::digits|" }', { n: "42" }],
    ['{ "z": a|body::zero|, "b": a|body::big| }', { z: "007", b: "12345678901234567890" }],
    ['{ "o": a|body::o|, "text": a|body::text| }', { o: { k: 1 }, text: '{"a":1}' }],
    ['{ "t": a|double_quote(body::s)|, "u": a|body::n| }', { t: 'x"y\n', u: 5 }],
    ['{ "t": a|body::digits->double_quote| }', { t: "42" }],
    ['{ "t": a|body::none->double_quote| }', { t: null }],
    ['{ "o": a|body::o->json_stringify|, "n": a|body::n->tojson|, "q": a|body::none->tojson| }', { o: { k: 1 }, n: "5", q: null }],
    ['{ "s": "a|body::s->json_escape|", "d": "a|body::s->default(x)->json_esc|" }', { s: 'x"y\n', d: 'x"y\n' }],
    ['{ "q": "a|body::s->single_quote|" }', { q: "'x\"y\n'" }],
    ['{ "k-a|body::n|": 1, "a|body::none|": 2, a|body::digits|: 3 }', { "k-5": 1, "42": 3 }],
    ['[ {"id": 1}, {"id": a|body::n|} ]', [{ id: 1 }, { id: 5 }]],
    ['{"a": 1, "b": a|body::n|, "a": 2}', { a: 2, b: 5 }],
    ['{"__proto__": a|body::n|}', JSON.parse('{"__proto__":5}')],
    ['{"\\u0061": [true, null, -1.5e3, "\\n"]}', { a: [true, null, -1500, "\n"] }],
    ["a|body::o|", { k: 1 }],
  ])("%s", (template, expected) => {
    expect(asValue(template, body)).toEqual(expected);
  });

  test.each([
    ["hello a|body::n|", "hello 5\n"],
    ["{ n: a|body::n| }", "{ n: 5 }\n"],
    ["[a|body::n|a|body::n|]", "[55]\n"],
    ["[-a|body::n|]", "[-5]\n"],
    ["{a: a|body::n|,}", "{a: 5,}\n"],
    ['"\\a|body::n|', '"a|body::n|\n'],
  ])("what is no JSON is text: %s", (template, expected) => {
    expect(asValue(template, body)).toBe(expected);
  });

  test("a text without markers is JSON, too", () => {
    expect(value("v: '{\"a\": 1}'", {}, { context: "json" })).toEqual({ a: 1 });
    expect(value("v: hello", {}, { context: "json" })).toBe("hello");
    expect(value("v: {a: '[1]'}", {}, { context: "json" })).toEqual({ a: "[1]" });
  });
});

describe("text form", () => {
  test("is the author's text with its holes filled", () => {
    const template = '{ "a" :  a|body::n|,\n  "s": "<a|body::s|>", "k": a|body::s| }';
    expect(asText(template, { n: "12345678901234567890", s: '"' })).toBe('{ "a" :  12345678901234567890,\n  "s": "<\\">", "k": "\\"" }');
  });

  test.each<[string, string, Json]>([
    ["v: '{\"a\": a|body::n|}'", "json_text", '{"a": 5}'],
    ["v: hello a|body::n|", "text", "hello 5"],
    ["v: a|body::n|", "value", 5],
    ["v: |\n  a|body::t|\n", "value", '{ "a" : 1 }'],
    ["v: {a: a|body::n|}", "value", { a: 5 }],
    ["v: 5", "value", 5],
  ])("%j", (yaml, as, expected) => {
    expect(asBody(yaml, { body: { n: 5, t: '{ "a" : 1 }' } })).toEqual([as, expected]);
  });

  test("an action is told that its body is a JSON template", () => {
    const schema = { type: "object", properties: { body: { context: "json_text" } } } as const;
    expect(value("v: {body: '{\"a\": a|body::n|}'}", { body: { n: 5 } }, schema)).toEqual({ body: '{"a": 5}', body_is_json: true });
    expect(value("v: {body: hi}", {}, schema)).toEqual({ body: "hi" });
  });
});

describe("data never becomes structure", () => {
  const template =
    '{"a": a|body::x|, "b": ["a|body::y|", a|body::z|], "k-a|body::y|": {"c": "pre a|body::x| post"}, "d": a|body::z->double_quote|, "e": a|body::x->tojson|}';
  const tricky = fc.constantFrom(
    '"',
    "\\",
    '", "admin": true, "',
    '"}',
    "}",
    "]",
    ",",
    "1, 2",
    "null",
    "true",
    "-0",
    "1e5",
    "1E400",
    " 42 ",
    "",
    " ",
    "\n",
    "\u2028",
    "\ud800",
    "a|uuid|",
    '{"a":1}',
    "__proto__",
  );
  const scalar = fc.oneof(
    tricky,
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );

  test("the text parses to the shape of the template, and to what the value form gives", () => {
    fc.assert(
      fc.property(scalar, scalar, scalar, (x, y, z) => {
        const body = { x, y, z };
        // Text made by the product itself, and not JSON, would fail here.
        const parsed = JSON.parse(String(asText(template, body)));
        const key = `k-${y === null ? "" : typeof y === "string" ? y : JSON.stringify(y)}`;
        expect(Object.keys(parsed).sort()).toEqual(["a", "b", "d", "e", key].sort());
        expect(parsed.b).toHaveLength(2);
        expect(Object.keys(parsed[key])).toEqual(["c"]);
        for (const filled of [parsed.a, ...parsed.b, parsed[key].c, parsed.d, parsed.e])
          expect(filled === null || typeof filled !== "object").toBe(true);
        // Digits that a double cannot hold differ on purpose: verbatim in the text, a string as value.
        const verbatim = [x, z].some((given) => typeof given === "string" && isNumberText(given));
        if (!verbatim) expect(JSON.stringify(asValue(template, body))).toBe(JSON.stringify(parsed));
      }),
      { numRuns: 500 },
    );
  });

  test("structure in data stays inside its hole", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (x) => {
        // fast-check builds JSON values only.
        const parsed = JSON.parse(String(asText('{"a": [a|body::x|], "b": 1}', { x: x as Json })));
        expect([Object.keys(parsed), parsed.a.length, parsed.b]).toEqual([["a", "b"], 1, 1]);
      }),
    );
  });

  test("nesting is bounded, and deep text is only text", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(value(`v: "${deep}"`, {}, { context: "json" })).toBe(deep);
  });
});
