import fc from "fast-check";
import { expect, test } from "vitest";
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
