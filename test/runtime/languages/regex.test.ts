import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it, vi } from "vitest";
import { compile } from "../../../runtime/languages/regex.ts";
import { re2Syntax } from "../../../runtime/languages/regex-syntax.ts";
import { Reject } from "../../../runtime/value/failure.ts";

describe("rewriting", () => {
  it.each([
    ["a b", "a b"],
    ["(?i)a", "(?i)a"],
    ["(?P<year>\\d+)(?<n>x)", "(?P<year>\\d+)(?<n>x)"],
    ["\\u{1F600}", "\\x{1F600}"],
    ["[\\u{41}\\\\u{1}]", "[\\x{41}\\\\u{1}]"],
    ["\\\\u{1}", "\\\\u{1}"],
    ["\\Q(?x) a&&[\\u{1}\\E b", "\\Q(?x) a&&[\\u{1}\\E b"],
    ["(?x)a b # c\n d", "abd"],
    ["(?x) a \\  b \\# c", "a\\ b\\#c"],
    ["(?x)[a b]\\Q c d\\E", "[ab]\\Q c d\\E"],
    ["(?x) a # the end", "a"],
    ["(?ix)a b", "(?i)ab"],
    ["(?i-x)a b", "(?i)a b"],
    ["(?-x)a b", "a b"],
    ["(?s-ix)a b", "(?s-i)a b"],
    ["(?x:a b) c d", "(?:ab) c d"],
    ["((?x)a b) c d", "(ab) c d"],
    ["(?x)(a (?-x) b) c d", "(a b)cd"],
    ["(?x)(?-x:a b) c", "(?:a b)c"],
    ["[]&]&&", "[]&]&&"],
    ["[^[:alpha:]&]", "[^[:alpha:]&]"],
    ["a\\{,3}", "a\\{,3}"],
    ["[{,3}]", "[{,3}]"],
    ["a{1,}", "a{1,}"],
  ])("%s", (pattern, expected) => {
    expect(re2Syntax(pattern)).toBe(expected);
  });

  it("changes nothing in a pattern without the corrected forms", () => {
    const pattern = fc.string({ unit: fc.constantFrom(..."ab()[]^-|*+?.$\\dw{}12,😀é \n:") });
    fc.assert(
      fc.property(pattern, (text) => {
        fc.pre(!/\{\s*,|\\[1-9]|\(\?/.test(text));
        expect(re2Syntax(text)).toBe(text);
      }),
    );
  });
});

describe("patterns of the language", () => {
  it.each<[string, string, readonly (string | null)[] | null]>([
    ["(a)(b)?", "xa", ["a", "a", null]],
    ["(a)|(b)", "b", ["b", null, "b"]],
    ["z", "a", null],
    ["(?P<y>\\d{4})-(?<m>\\d\\d)", "on 2026-07", ["2026-07", "2026", "07"]],
    ["(?x) ( \\d+ ) # digits", "a12", ["12", "12"]],
    ["\\u{1F600}", "😀", ["😀"]],
    ["[\\u{41}-\\u{43}]+", "xABCD", ["ABC"]],
    ["\\pL+", "1é字2", ["é字"]],
    ["\\w+", "é1", ["1"]],
    [".", "\n😀", ["😀"]],
    ["(?s).", "\n", ["\n"]],
    ["a+?", "aaa", ["a"]],
    ["", "x", [""]],
  ])("%s on %j", (pattern, text, expected) => {
    const compiled = compile(pattern);
    expect(compiled.exec(text)).toEqual(expected);
    expect(compiled.test(text)).toBe(expected !== null);
  });

  it("counts its groups", () => {
    expect(compile("(a)(?:b)(?P<n>c)").groups).toBe(2);
  });

  it("agrees with itself: test finds what exec finds", () => {
    const compiled = compile("^(a|b)*c{1,2}$");
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abcd") }), (text) => {
        expect(compiled.test(text)).toBe(compiled.exec(text) !== null);
      }),
    );
  });
});

describe("what is refused, as PW421", () => {
  it.each([
    ["(a", "missing closing ): `(a`"],
    ["[a", "missing closing ]: `[a`"],
    ["(?=a)", "look-around '(?=' is not in the language"],
    ["(?!a)", "look-around '(?!' is not in the language"],
    ["(?<=a)b", "look-around '(?<=' is not in the language"],
    ["(?<!a)b", "look-around '(?<!' is not in the language"],
    ["(a)\\1", "back-reference '\\1' is not in the language"],
    ["(?P<n>a)\\k<n>", "back-reference '\\k' is not in the language"],
    ["[a-z&&[^aeiou]]", "'&&' inside '[a-z&&[^aeiou]' is not in the language"],
    ["a{,3}", "write '{0,3}' instead of '{,3}'"],
    ["(?x)a{ , 3 }", "write '{0,3}' instead of '{ , 3 }'"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["(?:a{100}){100}", "invalid repeat count: `{100}`"],
    ["\\u0041", "invalid escape sequence: `\\u`"],
    ["(?xz)a", "invalid or unsupported Perl syntax: `(?z`"],
    ["a**", "invalid nested repetition operator: `**`"],
    [`${"(".repeat(1500)}${")".repeat(1500)}`, "expression nests too deeply"],
  ])("%s", (pattern, reason) => {
    expect(refusal(pattern)).toMatchObject({ code: "PW421", message: expect.stringContaining(`bad regular expression: ${reason}`) });
  });

  it("a pattern that is too long or too large", () => {
    expect(refusal("a".repeat(4097))?.message).toBe("bad regular expression: it is longer than 4096 characters");
    expect(refusal("(a?){1000}")).toBeUndefined();
    expect(refusal("(a?){1000}".repeat(20))?.message).toBe("bad regular expression: it is too large; use smaller repetitions");
  });

  it.each(["[ab]", "\\pL", "()", "(?:a?)", "([a)])", "\\Q({2}\\E"])("the engine is not asked to write a thousand times %s out", (part) => {
    const compiled = vi.spyOn(RE2JS, "compile");
    try {
      expect(refusal(`(?:${part.repeat(300)}){1000}`)?.message).toBe("bad regular expression: it is too large; use smaller repetitions");
      expect(compiled).not.toHaveBeenCalled();
      // Nothing of this size is refused that is small for the engine.
      expect(refusal(`(?:${part.repeat(9)}){100}`)).toBeUndefined();
    } finally {
      compiled.mockRestore();
    }
  });

  it("never throws anything but a diagnostic", () => {
    const pattern = fc.string({ unit: fc.constantFrom(..."ab()[]^-|*+?.$\\dxu{}12,:<=!iQE#& \n😀") });
    fc.assert(
      fc.property(pattern, (text) => {
        refusal(text);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("hostile text", () => {
  it.each(["^(a+)+$", "^(a|a)*$", "^(.*)*x", "^(a|aa)+$"])("%s takes linear time", (pattern) => {
    const compiled = compile(pattern);
    // An engine that backtracks would need longer than the age of the universe.
    expect(compiled.test(`${"a".repeat(5000)}!`)).toBe(false);
    expect(compiled.exec(`${"a".repeat(500)}!`)).toBeNull();
  });
});

function refusal(pattern: string): Reject | undefined {
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof Reject) return error;
    throw error;
  }
}
