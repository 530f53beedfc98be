import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { parsePattern } from "../../../compiler/6-print/regex/parse.ts";
import { recheck } from "../../../compiler/6-print/regex/recheck.ts";
import { isEvidentlySafe, isProvenSafe } from "../../../compiler/6-print/regex/safe.ts";
import { patternSource } from "../../../compiler/6-print/regex/tree.ts";

// Patterns that are taken for linear without asking the package are those of which it says the same.

const { checkSync } = createRequire(import.meta.url)("recheck/lib/browser.js");
const options = { checker: "automaton", timeout: null, recallTimeout: -1 };

const read = (text: string) => parsePattern(text) ?? expect.fail(`not read: ${text}`);

test.each([
  ...[
    "^abc$",
    "a|b|cd?",
    "x{1,5}y",
    "^a+$",
    "^[^@]+@[^@]+\\.x1$",
    "^\\d+-\\d+$",
    "^\\d+\\.\\d*x?$",
    "^[a-z]+:.*$",
    "^a*?bc+$",
    "^[^,]*,[^;]*;(\\d{2})",
  ],
])("%s is evidently linear", (text) => {
  const pattern = read(text);
  expect(isEvidentlySafe(pattern)).toBe(true);
  expect(checkSync(patternSource(pattern), "u", options).status).toBe("safe");
});

test.each([
  ["[a-z]+@", false],
  ["^[a-z]+[a-z]+$", false],
  ["^a+a+$", false],
  ["^\\d+\\d+x", false],
  ["^(?:a+)+$", false],
  ["^(?:a|a)*$", false],
  ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", true],
  ["^(?:a|b)+$", true],
])("%s is for the package to judge", (text, expected) => {
  const pattern = read(text);
  expect([isEvidentlySafe(pattern), isProvenSafe(pattern, recheck)]).toEqual([false, expected]);
});
