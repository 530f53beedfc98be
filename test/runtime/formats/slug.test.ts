import fc from "fast-check";
import { expect, it } from "vitest";
import { slug } from "#runtime/value/slug.ts";

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
