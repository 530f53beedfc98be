import { describe, expect, it, test } from "vitest";
import { native } from "#runtime/languages/native-pattern.ts";
import { longestText } from "#runtime/languages/pattern.ts";
import { compile } from "#runtime/languages/regex.ts";
import { atOnce } from "#runtime/threads/slices.ts";
import { Failure } from "#runtime/value/failure.ts";
import { regexp } from "../../../compiler/6-print/code.ts";
import { sharedPattern } from "../../../compiler/6-print/regex/index.ts";
import { nativePattern } from "../../../compiler/pipeline.ts";

const sourceOf = nativePattern;

describe("patterns that are JavaScript's", () => {
  it.each([
    ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "/^[^@\\t\\n\\f\\r ]+@[^@\\t\\n\\f\\r ]+\\.[a-z]{2,}$/u"],
    ["^(\\d{4})-(?P<month>\\d\\d)", "/^(\\d{4})-(?<month>\\d\\d)/u"],
    ["(?i)^[0-9a-f]{8}$", "/^[0-9a-fA-F]{8}$/u"],
    ["(?i)^sk$", "/^[sS\\u017f][kK\\u212a]$/u"],
    ["(?s)^a.b$", "/^a[^]b$/u"],
    ["(?x) ^ a . b $ # three", "/^a[^\\n]b$/u"],
    ["\\A/path/\\z", "/^\\/path\\/$/u"],
    ["^[^/]+/[/\\]]$", "/^[^\\/]+\\/[\\/\\]]$/u"],
    ["^\\S\\D\\W[\\S]$", "/^[^\\t\\n\\f\\r ]\\D\\W[^\\t\\n\\f\\r ]$/u"],
    ["a\u2028\\x{1F600}", "/a\\u2028😀/u"],
    ["", "/(?:)/u"],
    ["^[a-z0-9]+(?:-[a-z0-9]+)*$", "/^[a-z0-9]+(?:-[a-z0-9]+)*$/u"],
    ['^"(?:\\\\.|[^"\\\\])*"$', '/^"(?:\\\\[^\\n]|[^"\\\\])*"$/u'],
    ["^[a-f0-9]{64}\\n*$", "/^[a-f0-9]{64}\\n*$/u"],
    ["^[^@]{1,64}@[^@]{1,255}$", "/^[^@]{1,64}@[^@]{1,255}$/u"],
  ])("%s", (pattern, literal) => {
    expect(regexp(sourceOf(pattern) ?? "(none)")).toBe(literal);
  });
});

describe("patterns that stay with our engine", () => {
  it.each([
    ["has groups in a repetition", "(?:(a)|b)*"],
    ["repeats what may be empty", "(?:a*)*"],
    ["has a name of a set in brackets", "[[:alpha:]]"],
    ["has a class of Unicode", "\\pL"],
    ["has flags in its middle", "a(?i)b"],
    ["reads lines", "(?m)^a$"],
    ["ignores the case of a letter beyond ASCII", "(?i)é"],
    ["has no word boundary", "\\Ba"],
    ["has a name that JavaScript does not take", "(?P<1>a)"],
    ["is too large", "[a-z]{501}"],
  ])("%s: %s", (_, pattern) => {
    expect(() => compile(pattern)).not.toThrow();
    expect(sharedPattern(pattern)).toBeUndefined();
  });

  // Steps of backtracking that grow faster than the text, or are too many at once.
  it.each([
    "(a+)+$",
    "^(a|a)*$",
    "(.*)*x",
    "^(?:a|aa)+$",
    "\\s+$",
    "a*b",
    "a[ab]{300}[^ab]",
    "[0-9a-f]{32}",
    "(?:[ab][ab]){20}c",
    "t=(\\d+).*?v1=([a-f0-9]+)",
    "^(?:a|aa){1,20}d",
    "^a?b?c?d?e?f?g?h?i?j?k?$",
  ])("backtracks: %s", (pattern) => {
    expect(sourceOf(pattern)).toBeUndefined();
  });
});

describe("the longest text", () => {
  it.each([
    ["^[^@]+@$", "ж"],
    ["^[^@]*?@$", "ж"],
    ["^(?:ж|жы)*@$", "ж"],
    ["^(?:жa?)*@$", "жa"],
    ["^(?:(?:жa|ж)-?)*@$", "ж"],
    ["^(?:,ж+)*@$", ",ж"],
    ["^(?:[^,]{1,3},)*@$", "😀,"],
    ['^(?:\\\\.|[^"\\\\])*"$', "\\ж"],
  ])("fits the stack of JavaScript: %s on %s", (pattern, unit) => {
    const source = sharedPattern(pattern);
    expect(source).toBeDefined();
    const text = unit.repeat(longestText / unit.length);
    expect(native(new RegExp(source ?? "", "u")).test(text)).toBe(false);
  });

  it("is the same for both engines", () => {
    const text = "a".repeat(longestText + 1);
    for (const pattern of [native(/a/u), compile("a")]) {
      for (const run of [() => pattern.test(text), () => pattern.exec(text), () => atOnce(pattern.replace(text, () => ""))]) {
        expect(run).toThrow(new Failure("transform", "text of 4194305 characters, the limit of patterns is 4194304"));
      }
      expect(pattern.test(text.slice(1))).toBe(true);
    }
  });
});

test("names of groups are found behind escapes and sets", () => {
  const { groups, names } = native(/\((?<a>[(\]]\\)(?:b)(c)[^(?<x>](?<d>.)/u);
  expect([groups, names]).toEqual([3, { a: 1, d: 3 }]);
});
