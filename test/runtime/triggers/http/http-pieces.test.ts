import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Pieces } from "#runtime/triggers/http/pieces.ts";

// Bytes give the same body and the same text, in whatever pieces they came.

const word = fc.constantFrom("plain ", "é", "💧", '{"a":1}', "\u0000", "\ufeff");
const text = fc.array(word, { maxLength: 40 }).map((words) => Buffer.from(words.join("")));
const bytes = fc.oneof(text, fc.uint8Array({ maxLength: 40 }).map(Buffer.from));

/** Some large enough that pieces are kept. */
const repeated = fc.tuple(bytes, fc.constantFrom(1, 2_000)).map(([one, times]) => Buffer.concat(Array.from({ length: times }, () => one)));

function cut(whole: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((part) => Math.floor(part * whole.length)).toSorted((a, b) => a - b), whole.length];
  return places.slice(1).map((end, i) => whole.subarray(places[i], end));
}

test("pieces, however they were cut", () => {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  const property = fc.property(repeated, cuts, fc.boolean(), (whole, at, wholeFirst) => {
    const pieces = new Pieces(cut(whole, at));
    if (wholeFirst) expect(pieces.whole.equals(whole)).toBe(true);
    expect(pieces.length).toBe(whole.length);
    expect(pieces.text).toBe(isUtf8(whole) ? whole.toString("utf8") : undefined);
    expect(pieces.whole.equals(whole)).toBe(true);
  });
  fc.assert(property);
});

test("a body of single bytes is no stack of as many pieces", () => {
  const pieces = new Pieces(Array.from({ length: 200_000 }, () => Buffer.from("a")));
  expect(pieces.text).toHaveLength(200_000);
});
