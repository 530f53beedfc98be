import fc from "fast-check";
import { expect, it } from "vitest";
import { fold, type TextRange, TextSearch } from "#runtime/value/text-search.ts";

/** The expected result: at each place the longest text that stands there. The search continues behind it. */
function naive(texts: readonly string[], text: string): TextRange[] {
  const folded = fold(text);
  const longestFirst = texts.map(fold).sort((a, b) => b.length - a.length);
  const places: TextRange[] = [];
  for (let at = 0; at < folded.length; at++) {
    const found = longestFirst.find((each) => folded.startsWith(each, at));
    if (found === undefined) continue;
    places.push([at, at + found.length]);
    at += found.length - 1;
  }
  return places;
}

it("finds what a comparison at every place finds", () => {
  // Few letters, so that texts overlap, begin alike and hold each other.
  const some = fc.string({ unit: fc.constantFrom("a", "b", "A", "é", "É"), minLength: 6, maxLength: 9 });
  const letters = fc.oneof(
    some,
    some.map((text) => `aabbab${text.slice(0, 4)}`),
  );
  const parts = fc.array(fc.oneof(letters, fc.constantFrom("a", "b", "x")), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 24 }), parts, (texts, text) => {
      const [first = ""] = texts;
      const long = text.join(first);
      expect(new TextSearch(texts).places(long)).toEqual(naive(texts, long));
    }),
    { numRuns: 2_000 },
  );
});

it("small letters have as many characters as the capitals, whatever the script", () => {
  const longer: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const letter = String.fromCodePoint(point);
    if (fold(letter).length !== letter.length) longer.push(letter);
  }
  expect(longer).toEqual([]);
});

it.each([
  ["Greek", "ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
  ["the sign of kelvin", "300 \u212a", "300 k"],
  ["a long s", "ſecret", "SECRET"],
  ["Turkish", "\u0130stanbul", "istanbul"],
])("case does not count: %s", (_, one, other) => {
  expect(fold(one)).toBe(fold(other));
});

it("without texts there is nothing to find", () => {
  expect(new TextSearch([]).places("any text")).toEqual([]);
});

it("a text that looks everywhere like the beginning of a secret counts as one as a whole", () => {
  const search = new TextSearch(["a".repeat(10_000)]);
  const text = "a".repeat(9_000);
  expect(search.places(text)).toEqual([[0, text.length]]);
  expect(search.places("a".repeat(30))).toEqual([]);
  expect(search.places(`${"a".repeat(10_000)}${"b".repeat(9_000)}`)).toEqual([[0, 10_000]]);
});
