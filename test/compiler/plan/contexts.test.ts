import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lowerSelector } from "../../../compiler/4-plan/lower/contexts.ts";
import { readScalar } from "../../../compiler/4-plan/lower/scalar.ts";
import { scope } from "../../../compiler/4-plan/markers/scope.ts";
import type { Context } from "../../../runtime/features/feature.ts";
import { walkThrough } from "../../../runtime/paths/nodes.ts";
import { matchesOf } from "../../../runtime/paths/nodes-walk.ts";
import { nodePath } from "../../../runtime/paths/path.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import type { Json } from "../../../runtime/value/json.ts";
import { evaluated, lowered, nodeOf, usual, value, type World } from "./lowering.ts";

const filled = (context: Context, yaml: string, world: World = {}): Json => value(`v: ${yaml}`, world, { type: "string", context });
const problems = (context: Context, yaml: string): readonly string[] => lowered(`v: ${yaml}`, { type: "string", context }).found;

describe("URLs (spec/language 5.1.2)", () => {
  const env = { BASE: "https://h.example/api?x=/", P: "a/b" };
  test.each([
    ["a|env::BASE|", "https://h.example/api?x=/"],
    ["https://h/u/a|body::v|/z", "https://h/u/a%2Fb%3Fc%23d%20%25/z"],
    ["https://h/s?q=a|body::v|&k=1#a|body::v|", "https://h/s?q=a%2Fb%3Fc%23d%20%25&k=1#a%2Fb%3Fc%23d%20%25"],
    ["https://h/a|env::P|/x", "https://h/a/b/x"],
    ["a|body::host|/u/a|body::v|", "https://up/u/a%2Fb%3Fc%23d%20%25"],
    ["https://a|body::sub|.h/a|body::sub|", "https://s.h/s"],
    ["a|env::NONE|://h/a|body::v|", "://h/a%2Fb%3Fc%23d%20%25"],
    ["https://h/a|body::pc|", "https://h/%41%25"],
    ["https://h/v1.a|body::dot|", "https://h/v1.."],
  ])("%s", (url, expected) => {
    expect(filled("url", `"${url}"`, { env, body: { v: "a/b?c#d %", host: "https://up", sub: "s", pc: "%41%", dot: "." } })).toBe(expected);
  });

  test.each([
    ["https://h/a|body::a|/z", { a: ".." }],
    ["https://h/a|body::a|/z", { a: "%2e%2E" }],
    ["https://h/.a|body::a|/z", { a: "." }],
    ["https://h/%a|body::a|/z", { a: "2e." }],
    ["https://h/a|body::a|a|body::b|?x", { a: ".", b: "." }],
    ["https://h/x/a|body::a|", { a: "." }],
  ])("a segment of dots is refused: %s", (url, body) => {
    const { expr } = lowered(`v: "${url}"`, { type: "string", context: "url" });
    expect(() => evaluated(expr, { body })).toThrow("unsafe path segment");
  });

  test("whatever is sent, the URL keeps its host, its segments and its pairs", () => {
    const { expr } = lowered('v: "https://h.example/u/x-a|body::v|/a|body::v|z?q=a|body::v|&k=1"', { context: "url" });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), hostile), (v) => {
        const url = new URL(String(evaluated(expr, { body: { v } })));
        expect([url.host, url.pathname.split("/").length, [...url.searchParams.keys()], url.hash]).toEqual([
          "h.example",
          4,
          ["q", "k"],
          "",
        ]);
      }),
      { numRuns: 500 },
    );
  });

  test("a template counts by what it is filled with", () => {
    const templates = new Map([
      ["Static", nodeOf("v: a/a|env::P|")],
      ["Data", nodeOf("v: a/a|body::v|")],
    ]);
    const url = (name: string): Json =>
      value(`v: https://h/a|template::${name}|`, { env, body: { v: "x/y" } }, { context: "url" }, { templates });
    expect([url("Static"), url("Data")]).toEqual(["https://h/a/a/b", "https://h/a%2Fx%2Fy"]);
  });
});

const hostile = fc.constantFrom(
  "..",
  "../x",
  "%2e%2e",
  "a&b=c",
  "a=b",
  "#x",
  "?y",
  "//evil",
  "@evil",
  "\\",
  "\r\nx: y",
  '"',
  '","a":1,"b":"',
  "{}",
  "[]",
  "null",
  "1",
  "\\",
  "\u2028",
  "a|uuid|",
);

describe("->raw", () => {
  test.each<[Context, string]>([
    ["url", "https://h/a|body::p->raw|"],
    ["regex", "^a|User::p->raw|$"],
    ["header", "Bearer a|headers::t->raw|"],
    ["url", "https://h/a|env::P->default(a|body::p|)->raw|"],
  ])("is refused for request and action data (PW215) in %s", (context, yaml) => {
    expect(problems(context, yaml)).toEqual([expect.stringMatching(/^PW215@/)]);
  });

  test("is for what the configuration controls", () => {
    expect(filled("regex", "^(a|env::WORDS->raw|)$", { env: { WORDS: "x|y" } })).toBe("^(x|y)$");
    expect(filled("regex", "^(a|env::WORDS|)$", { env: { WORDS: "x|y" } })).toBe("^(x\\|y)$");
  });

  test("a template that holds data is not the configuration's alone", () => {
    const templates = new Map([["Data", nodeOf("v: x a|body::v|")]]);
    const { found } = lowered("v: ^a|template::Data->raw|", { type: "string", context: "regex" }, { templates });
    expect(found).toEqual([expect.stringMatching(/^PW215@/)]);
  });
});

describe("regular expressions", () => {
  test("a whole marker is the pattern, an embedded one is literal text", () => {
    expect(filled("regex", "a|body::p|", { body: { p: "^a|b$" } })).toBe("^a|b$");
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostile), (p) => {
        const pattern = new RegExp(String(filled("regex", "^<a|body::p|>$", { body: { p } })));
        expect([pattern.test(`<${p}>`), pattern.test(`<${p}x>`)]).toEqual([true, false]);
      }),
    );
  });

  test("a start that forms no marker is literal", () => {
    expect(filled("regex", '"^(a|b)$"')).toBe("^(a|b)$");
  });
});

describe("paths (spec/language 2.8 I)", () => {
  test.each([
    ["a.a|body::k|.b", 'a["x.y"].b'],
    ["a|body::k|", "x.y"],
    ["a[a|body::n|].b", 'a["3"].b'],
    ["a['a|body::k|']", 'a["x.y"]'],
    ["$.user-a|body::k|_z[0]", '$["user-x.y_z"][0]'],
    ["a.b", "a.b"],
    ["a|body::k|a|body::n|.c", '["x.y3"].c'],
    ["$a|body::k|", '$["x.y"]'],
    ["$..a|body::k|.b", '$..["x.y"].b'],
    ["$['a']['x a|body::k|'][a|body::k|]", `$['a']["x x.y"]["x.y"]`],
    ["$['a', a|body::k|, 'a|body::k|']", `$['a', "x.y", 'x.y']`],
    ["$[?@.a == a|body::n| || @['b]'] > 'a|body::n|']", "$[?@.a == 3 || @['b]'] > '3']"],
    ["$[?@[a|body::k|] == a|body::o|].c", `$[?@["x.y"] == "{\\u0022'\\u0022:[]}"].c`.replace("'", "\\u0027")],
  ])("%s", (path, expected) => {
    expect(filled("path", `"${path}"`, { body: { k: "x.y", n: 3, o: { "'": [] } } })).toBe(expected);
  });

  test("a block that is one marker is that path", () => {
    expect(value("v: |\n  a|body::k|\n", { body: { k: "x.y" } }, { type: "string", context: "path" })).toBe("x.y");
    expect(value("v: |\n  a|body::k|\n", { body: { k: "(x)" } }, { type: "string", context: "regex" })).toBe("(x)");
    expect(value("v: |\n  a|body::k|\n", { body: { k: "t" } }, { type: "string", context: "header" })).toBe("t");
  });

  test.each(["$[?@.k == a|body::k|]", "$[?@.k == 'a|body::k|']", '$[?@.k == "a|body::k|"]'])(
    "a hole in a selector is one text, whatever it holds: %s",
    (path) => {
      const { expr } = lowered(`v: ${JSON.stringify(path)}`, { context: "path" });
      fc.assert(
        fc.property(fc.oneof(fc.string({ unit: "grapheme" }), hostile), (k) => {
          const { steps } = nodePath(String(evaluated(expr, { body: { k } })));
          const data = [{ k }, { k: `${k}x` }, {}];
          expect(matchesOf(data, steps, true, walkThrough(data, path)).map(({ key }) => key)).toEqual([0]);
        }),
      );
    },
  );

  test("a hole is one key in the transforms' dialect, whatever it holds", () => {
    const { expr } = lowered("v: a.x-a|body::k|.b", { context: "path" });
    const rooted = lowered("v: $.a.x-a|body::k|.b", { context: "path" });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), hostile), (k) => {
        for (const read of [expr, rooted.expr])
          expect(nodePath(String(evaluated(read, { body: { k } }))).steps).toEqual(["a", `x-${k}`, "b"]);
      }),
    );
  });

  test("a source with a marker is the value, not a path", () => {
    expect(filled("source", "password")).toBe("password");
    expect(filled("source", "a|body::p|", { body: { p: "$.x" } })).toEqual({ value: "$.x" });
  });
});

describe("the selector of a test", () => {
  const base: Expr = { op: "data" };
  const select = (yaml: string, world: World): Json => {
    const node = nodeOf(`v: ${yaml}`);
    const found: string[] = [];
    const report = (finding: { readonly code: string; readonly message: string }): void =>
      void found.push(`${finding.code}: ${finding.message}`);
    if (node.kind !== "scalar") throw new Error("no scalar");
    const expr = lowerSelector(node, base, { report, scope: scope(usual), definitions: {} });
    return found[0] ?? evaluated(expr, world);
  };

  test.each<[string, Json]>([
    ["items[0].id", 1],
    ["items.count()", 2],
    ["a|params::id|", "1"],
    ["items[a|params::id|].id", 2],
    ["items.a|params::id|.id", 2],
    ["by.a|body::dotted|.x", 9],
    ["by.u-a|params::id|", 8],
    ["by.a|body::dotted|.count()", 1],
    ["items[*].a|body::dotted|", "PW209: bad path 'items[*]a|…|': a marker cannot follow [*] or count()"],
    ["items[", "PW209: bad path 'items[': '[' is not closed (column 6)"],
  ])("%s", (yaml, expected) => {
    const data = { items: [{ id: 1 }, { id: 2 }], by: { "a.b": { x: 9 }, "u-1": 8 } };
    expect(select(yaml, { data, params: { id: "1" }, body: { dotted: "a.b" } })).toEqual(expected);
  });
});

test("a header is text, or null when its only marker is unset", () => {
  const schema = { type: "object", additionalProperties: { context: "header" } } as const;
  const expected = { a: "Bearer t", b: null, c: "x " };
  expect(value("v: {a: 'Bearer a|body::t|', b: a|body::none|, c: 'x a|body::none|'}", { body: { t: "t" } }, schema)).toEqual(expected);
});

test("a query with markers is filled by the lexer of its driver", () => {
  const node = nodeOf("v: SELECT a|body::x|");
  if (node.kind !== "scalar") throw new Error("no scalar");
  const scalar = readScalar(node, () => undefined, { code: true });
  expect(scalar.template.parts.map(({ kind }) => kind)).toEqual(["text", "marker"]);
  expect(() => lowered("v: SELECT a||b", { context: "sql" })).toThrow("a query outside a database action");
});
