import fc from "fast-check";
import { expect, it } from "vitest";
import { piece, slug, slugWork } from "#runtime/formats/slug.ts";
import { atOnce } from "#runtime/threads/slices.ts";

it("is nothing but small letters, digits and single hyphens between them", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(slug(text)).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/);
    }),
  );
});

it("is the slug of itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(slug(slug(text))).toBe(slug(text));
    }),
  );
});

it("does not depend on how an accent is written", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."éßøйїēάΩ") }), (text) => {
      expect(slug(text.normalize("NFD"))).toBe(slug(text));
    }),
  );
});

it("is the same for a long text, of which others take their turns", () => {
  const unit = fc.string({
    unit: fc.oneof(fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }), fc.constantFrom(..." -aé字\u0301")),
    minLength: 1,
  });
  fc.assert(
    fc.property(unit, fc.nat(40), (text, more) => {
      const long = text.repeat(Math.ceil((2 * piece + more) / text.length));
      expect(atOnce(slugWork(long))).toBe(slug(long));
    }),
    { numRuns: 40 },
  );
});
