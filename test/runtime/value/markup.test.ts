import fc from "fast-check";
import { expect, test } from "vitest";
import { escape_html } from "#runtime/features/filters/escape_html.ts";
import { escape_xml } from "#runtime/features/filters/escape_xml.ts";
import { withoutMarkup } from "#runtime/value/markup.ts";

test.each(["&<>\"' a", "&<é\u00ff", "<字😀\ud800"])("a long text is as a short one: %s", (characters) => {
  const text = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(text, (piece) => {
      const times = Math.ceil(10_000 / piece.length);
      expect(withoutMarkup(piece.repeat(times))).toBe(withoutMarkup(piece).repeat(times));
    }),
    { numRuns: 50 },
  );
});

test("each character of markup is shown", () => {
  expect(withoutMarkup(`<a href="x" id='y'>&amp;`)).toBe("&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
});

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** The meaning of the filters, character by character. */
const naive = (text: string): string => Array.from({ length: text.length }, (_, i) => entities[text.charAt(i)] ?? text.charAt(i)).join("");

test.each([escape_html, escape_xml])(
  "$name gives what replacing each character gives, in short and long texts of any characters",
  (filter) => {
    const markup = fc.string({ unit: fc.constantFrom(...Object.keys(entities), "&amp;", "a", "\u00ff", "\u0100", "\ud83d", "\udc00") });
    const any = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.oneof(markup, any), fc.constantFrom(1, 9_999, 10_000, 10_001), (text, least) => {
        const long = text.padEnd(least, text);
        expect(filter(long)).toBe(naive(long));
      }),
      { numRuns: 200 },
    );
  },
);
