import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keptMappings } from "../../../compiler/7-link/mappings.ts";

/** The new places of the sources 0 to 3: those of libraries have none. */
const places = [undefined, 1, undefined, 0] as const;
const placeOf = (source: number): number | undefined => places[source];

/** A library that reads each segment says the same. */
function expected(mappings: string): string {
  let isMapped = false;
  const lines = decode(mappings).map((segments): SourceMapSegment[] => {
    const [first] = segments;
    if (first === undefined) return [];
    const source = first.length === 1 ? undefined : placeOf(first[1]);
    const end: SourceMapSegment[] = isMapped ? [[first[0]]] : [];
    isMapped = source !== undefined;
    if (source === undefined) return end;
    return segments.map((segment) => (segment.length === 1 ? segment : [segment[0], source, segment[2], segment[3]]));
  });
  return encode(lines);
}

const number = fc.oneof(fc.nat(40), fc.nat(100_000));
const source = fc.nat(3);
const segment = fc.oneof(
  fc.tuple(number),
  fc.tuple(number, source, number, number),
  fc.tuple(number, source, number, number, fc.nat(5)),
) satisfies fc.Arbitrary<SourceMapSegment>;
const line = fc.array(segment, { maxLength: 6 }).map((segments) => segments.toSorted(([a], [b]) => a - b));

test("lines of libraries are left out, and all others lead where they led", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const mappings = encode(lines);
      expect(keptMappings(mappings, placeOf)).toBe(expected(mappings));
    }),
  );
});

test("the first line of a library ends what is mapped before it", () => {
  const mappings = encode([[[0, 1, 5, 2]], [[4, 0, 7, 0]], [[4, 0, 8, 0]], [], [[2, 3, 1, 1]]]);
  expect(decode(keptMappings(mappings, placeOf))).toEqual([[[0, 1, 5, 2]], [[4]], [], [], [[2, 0, 1, 1]]]);
});
