import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasMarker, type Parsed, parseTemplate } from "../../../compiler/1-read/markers/markers.ts";
import { processorMs } from "../../laws/block/yardstick.ts";

/** Parts in short: literals as text, markers as `‹root::path->filter(argument)->.path›`, escapes apart. */
function shown(parsed: Pick<Parsed, "parts">): string[] {
  return parsed.parts.map((part) => {
    if (part.kind === "text") return part.text;
    const steps = part.steps.map((step) => {
      if (step.kind === "path") return `->.${step.path}`;
      const { argument } = step;
      if (argument === undefined) return `->${step.name}`;
      return `->${step.name}(${argument.kind === "literal" ? JSON.stringify(argument.value) : shown(argument).join("")})`;
    });
    const source = [part.path, part.jq === undefined ? undefined : `jq::${part.jq}`]
      .filter((text) => text !== undefined)
      .map((text) => `::${text}`);
    return `‹${part.root}${part.format === undefined ? "" : `:${part.format}`}${source.join("")}${steps.join("")}›`;
  });
}

const parts = (text: string, code = false): string[] => shown(parseTemplate(text, { code }));
const codes = (text: string, code = false): string[] => parseTemplate(text, { code }).problems.map(({ finding }) => finding.code);

describe("where a marker starts and ends", () => {
  test.each([
    ["a|body::n|", ["‹body::n›"]],
    ["n=a|body::n|!", ["n=", "‹body::n›", "!"]],
    ["a|body::x|a|raw_body|", ["‹body::x›", "‹raw_body›"]],
    ["orgs.a|body::n|", ["orgs.", "‹body::n›"]],
    ["data|x|", ["data|x|"]],
    ["_a|body|", ["_a|body|"]],
    ["a||b", ["a||b"]],
    ["a|1|", ["a|1|"]],
    ["a| body|", ["a| body|"]],
    ["json_stringify(a|body::o|", ["json_stringify(", "‹body::o›"]],
    ["my_json_esc(a|body::o|)", ["my_json_esc(", "‹body::o›", ")"]],
    ["\\a|body::n|", ["a|", "body::n|"]],
    ["x\\na|body::n|", ["x\\n", "‹body::n›"]],
    ["\\u00e9a|body::n|", ["\\u00e9", "‹body::n›"]],
    ["C:\\\\na|body::n|", ["C:\\\\na|body::n|"]],
    ["\\\\\\ta|body::n|", ["\\\\\\t", "‹body::n›"]],
    ["C:\\\\a|body::n|", ["C:\\", "a|", "body::n|"]],
    ['"C:\\\\a|body::n|"', ['"C:\\\\', "‹body::n›", '"']],
    ['["\\\\\\a|body::n|\\\\"]', ['["\\\\', "a|", 'body::n|\\\\"]']],
    ["\\xa|body::n|", ["\\xa|body::n|"]],
    ["x\\a|y", ["x", "a|", "y"]],
    ["a|body::jq::.k[0] \\| . + 1|", ["‹body::jq::.k[0] | . + 1›"]],
    ["a|body::x->default(a|var::y|)|", ["‹body::x->default(‹var::y›)›"]],
    ['a|body::x->default({"a": "|"})|', ['‹body::x->default({"a":"|"})›']],
    ["a|uuid->single_quote|", ["‹uuid->single_quote›"]],
    ["a|Step-one::x|", ["‹Step-one::x›"]],
    ["a|timestamp:s-300->length|", ["‹timestamp:s-300->length›"]],
  ])("%s", (text, expected) => {
    expect(parts(text)).toEqual(expected);
    expect(codes(text)).toEqual([]);
  });

  test("offsets are those of the value", () => {
    const text = "say double_quote(a|body::s|) and \\a| then a|body::n|";
    const found = parseTemplate(text).parts.map(({ start, end }) => text.slice(start, end));
    expect(found).toEqual(["say ", "double_quote(a|body::s|)", " and ", "\\a|", " then ", "a|body::n|"]);
  });
});

describe("steps", () => {
  test.each([
    ["a|body->user->name|", "‹body->.user->.name›"],
    ["a|params::r->upper->default(US)|", '‹params::r->upper->default("US")›'],
    ["a|body::q->default()|", "‹body::q->default(null)›"],
    ["a|body::q->default('')|", '‹body::q->default("")›'],
    ['a|body::q->default("25")|', '‹body::q->default("25")›'],
    ["a|body::q->default(25)|", "‹body::q->default(25)›"],
    ["a|body::q->default(true)|", "‹body::q->default(true)›"],
    ["a|body::q->default( f(x) )|", '‹body::q->default("f(x)")›'],
    ["a|body::q->default([1, 2])|", "‹body::q->default([1,2])›"],
    ["a|body::q->default(127.0.0.1:4111)|", '‹body::q->default("127.0.0.1:4111")›'],
    ["a|body::q->default(x\\|y)|", '‹body::q->default("x|y")›'],
    ["a|body::q->default(data\\|x)|", '‹body::q->default("data|x")›'],
    ["a|body::q->default('a|var::x|')|", "‹body::q->default(‹var::x›)›"],
    ["a|double_quote(body::t)|", "‹body::t->double_quote›"],
    ["a|double_quote(body::t)->length|", "‹body::t->double_quote->length›"],
    ["a|single_quote(double_quote(body::t->upper))|", "‹body::t->upper->double_quote->single_quote›"],
    ["json_stringify(a|body::o|)", "‹body::o->json_stringify›"],
    ["a|body::a->b.c[0]->upper()|", "‹body::a->.b.c[0]->upper›"],
    ["a|body :: x -> upper |", "‹body::x->upper›"],
  ])("%s", (text, expected) => {
    expect(parts(text)).toEqual([expected]);
    expect(codes(text)).toEqual([]);
  });
});

describe("what is wrong with a marker", () => {
  test.each([
    ["msg a|body::name", ["PW202"]],
    ["a|body::x->upper", ["PW202"]],
    ["a|body::q->default([x)|", ["PW202"]],
    ["one a|body\ntwo|", ["PW202"]],
    ["a|body::->upper|", ["PW203"]],
    ["a|body->|", ["PW203"]],
    ["x a|body::| y", ["PW203"]],
    ["a|body::x->|", ["PW203"]],
    ["a|body::n->defualt(1)|", ["PW212"]],
    ["a|frobnicate(body::n)|", ["PW212"]],
    ["a|body::n->prefix|", ["PW213"]],
    ["a|body::n->default|", ["PW213"]],
    ["a|body::n->upper(x)|", ["PW213"]],
    ["a|body::name<OR>none|", ["PW214"]],
    ["a|body::x->default(a|body::n->prefix|)|", ["PW213"]],
    ["a|header::x-k|", ["PW121"]],
    ["say a|header::x-k|", ["PW121"]],
    ["a|body", ["PW121"]],
    ["a|body::x.y", ["PW121"]],
    ["a|body::", ["PW121"]],
    ["a|body::|", ["PW121"]],
    ["a|header::x", ["PW121"]],
  ])("%s", (text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  test("the open form stands for the closed one, whose text the warning gives", () => {
    const { parts: found, problems } = parseTemplate("a|body::x");
    expect(shown({ parts: found })).toEqual(["‹body::x›"]);
    expect(problems[0]?.finding.instead).toBe("a|body::x|");
    expect(parseTemplate("a|header::x-k|").problems[0]?.finding.instead).toBe("a|headers::x-k|");
    expect(parseTemplate("a|body::").problems[0]?.finding.instead).toBe("a|body|");
  });

  test("a problem inside an argument has its own place", () => {
    const text = "a|body::x->default(a|body::n->prefix|)|";
    const [problem] = parseTemplate(text).problems;
    expect(text.slice(problem?.start, problem?.end)).toBe("a|body::n->prefix|");
  });
});

describe("code fields", () => {
  test.each([
    ["^(a|b)$", ["^(a|b)$"]],
    [".a|length", [".a|length"]],
    ["x.a|map(.b)|first", ["x.a|map(.b)|first"]],
    ["a|b", ["a|b"]],
    ["SELECT a||b", ["SELECT a||b"]],
    ["WHERE id = a|body::id| AND x", ["WHERE id = ", "‹body::id›", " AND x"]],
  ])("%s", (text, expected) => {
    expect(parts(text, true)).toEqual(expected);
    expect(codes(text, true)).toEqual([]);
  });

  test("a marker that is one but wrong is still reported", () => {
    expect(codes("WHERE id = a|body::n->prefix|", true)).toEqual(["PW213"]);
  });
});

test("a text that must be static is one without markers", () => {
  expect(["POST", "a||b", "data|x|", "\\a|x|"].map(hasMarker)).toEqual([false, false, false, false]);
  expect(["a|var::m|", "x a|var::m|", "a|b", "a|broken("].map(hasMarker)).toEqual([true, true, true, true]);
});

const scraps = fc.constantFrom(
  "a|",
  "\\a|",
  "|",
  "\\|",
  "body",
  "::",
  "->",
  "default(",
  ")",
  "(",
  "[",
  "]",
  "{",
  "}",
  "'",
  '"',
  "x",
  ".",
  "\n",
  " ",
  "<OR>",
  "json_esc(",
  "timestamp:",
  "header",
  "jq::",
  "-",
  "\\",
  "é",
  "\0",
);
const anyText = fc.oneof(
  fc.string(),
  fc.array(scraps, { maxLength: 40 }).map((all) => all.join("")),
);

describe("the parser", () => {
  test("never throws, and its parts are the text from end to end", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, code) => {
        const parsed = parseTemplate(text, { code });
        if (parsed.problems.some(({ finding }) => finding.code === "PW121") && parsed.parts.length === 1) return;
        let offset = 0;
        for (const part of parsed.parts) {
          expect(part.start).toBe(offset);
          offset = part.end;
          if (part.kind === "text") expect(["a|", text.slice(part.start, part.end)]).toContain(part.text);
        }
        expect(offset).toBe(text.length);
      }),
      { numRuns: 2000 },
    );
  });

  test("text without the two characters is literal", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("a|")),
        (text) => {
          expect(parseTemplate(text)).toEqual({
            text,
            parts: text === "" ? [] : [{ kind: "text", text, start: 0, end: text.length }],
            problems: [],
          });
        },
      ),
    );
  });

  test.each([
    ["starts without an end", "a|b( ".repeat(20_000)],
    ["markers in arguments of markers", `${"a|x->default(".repeat(5_000)}1${")|".repeat(5_000)}`],
    ["wrappers in wrappers", `a|${"json_esc(".repeat(5_000)}x${")".repeat(5_000)}|`],
    ["white space", `a|x::${" ".repeat(100_000)}|`],
    ["escapes", "\\a|".repeat(50_000)],
  ])("stays quick: %s", (_, text) => {
    const ms = processorMs(() => {
      parseTemplate(text);
      parseTemplate(text, { code: true });
    });
    expect(ms).toBeLessThan(3_000);
  });
});
