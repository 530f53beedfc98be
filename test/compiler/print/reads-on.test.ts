import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { Watched } from "#runtime/languages/all-matches.ts";
import { compile } from "#runtime/languages/regex.ts";
import { re2Syntax } from "#runtime/languages/regex-syntax.ts";
import { Reject } from "#runtime/value/failure.ts";
import { readsOn } from "../../../compiler/6-print/regex/reads-on.ts";
import { nativePattern } from "../../../compiler/pipeline.ts";
import { randomPattern } from "../../harness/random/pattern.ts";

test.each([
  ...[
    "a",
    "a|b|c",
    "\\s+",
    "(\\d+)-(\\d+)",
    '"[^"]*"',
    "<.*?>",
    "<[^>]+>",
    "\\w+@\\w+\\.com",
    "https?://\\S+",
    "\\$\\{(\\w+)\\}",
    "\\s*,\\s*",
  ],
  ...["(?i)foo\\s*bar", "#.*", "(?s)/\\*.*?\\*/", "[A-Z][a-z]+", "\\d{1,3}(,\\d{3})*", "(\\w+)\\s(\\w+)", "a*", "(?:ab)+", "a{2,400}b"],
])("%s reads little beyond its matches", (pattern) => {
  expect(readsOn(pattern)).toBe(false);
});

test.each([
  ...[
    "(a|b)*c|(a)",
    '".*"',
    "x.*c|a",
    "a+b|a",
    "^\\s+|\\s+$",
    "[\\w.]+@[\\w.]+\\.\\w+",
    "(?:a[^x]*c)?",
    "(?i)k.*x|\\x{212a}",
    "(?s)a.*b|.",
  ],
])("%s may read far beyond them", (pattern) => {
  expect(readsOn(pattern)).toBe(true);
});

test("where all matches are wanted, such a pattern is no JavaScript's", () => {
  const sourceOf = nativePattern;
  expect(sourceOf("^a.*b")).toBeDefined();
  expect(sourceOf("^a.*b", true)).toBeUndefined();
  expect(sourceOf("^[^@]+@", true)).toBeDefined();
});

/** The characters that are read beyond a match without a loop: the longest of these patterns. */
const little = 200;

test("a random pattern that is said to read little does so", () => {
  let asked = 0;
  const unit = fc.string({ unit: fc.constantFrom(..."abcA1_ -\n@é"), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(randomPattern, fc.array(unit, { minLength: 3, maxLength: 3 }), (pattern, units) => {
      if (!isPattern(pattern) || readsOn(pattern)) return;
      asked += 1;
      for (const each of units) {
        // The engine takes an object of a text for a text.
        const text = new Watched(each.repeat(2_000));
        const matcher = RE2JS.compile(re2Syntax(pattern)).matcher(text as unknown as string);
        for (let matches = 0; matches < 20; matches++) {
          text.last = 0;
          if (!matcher.find()) break;
          expect(text.last - matcher.end(), `${pattern} on ${JSON.stringify(each)}`).toBeLessThan(little);
        }
      }
    }),
    { numRuns: 1_500 },
  );
  expect(asked).toBeGreaterThan(200);
});

function isPattern(pattern: string): boolean {
  try {
    compile(pattern);
    return true;
  } catch (error) {
    if (error instanceof Reject) return false;
    throw error;
  }
}
