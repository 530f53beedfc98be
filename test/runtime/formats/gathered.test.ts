import fc from "fast-check";
import { expect, test } from "vitest";
import { Gathered } from "#runtime/formats/gathered.ts";
import { Frames } from "#runtime/triggers/mqtt/frames.ts";

// A sender chooses in how many pieces its bytes come, and each piece that is kept costs far more than the bytes in it.

const gathered = (pieces: Iterable<Buffer>): Gathered => {
  const all = new Gathered();
  for (const piece of pieces) all.add(piece);
  return all;
};

test("no byte is lost, whatever the pieces", () => {
  const property = fc.property(fc.array(fc.uint8Array({ maxLength: 3 }), { minLength: 1, maxLength: 5_000, size: "max" }), (given) => {
    const pieces = given.map((bytes) => Buffer.from(bytes));
    expect(Buffer.concat(gathered(pieces).pieces).equals(Buffer.concat(pieces))).toBe(true);
  });
  fc.assert(property, { numRuns: 20 });
});

test("single bytes are not kept apart", () => {
  const bytes = Array.from({ length: 200_000 }, (_, i) => Buffer.from([i % 256]));
  const { pieces } = gathered(bytes);
  expect(pieces.length).toBeLessThan(2_000);
  expect(Buffer.concat(pieces).equals(Buffer.concat(bytes))).toBe(true);
});

test("large pieces are kept as they came", () => {
  const pieces = Array.from({ length: 160 }, () => Buffer.alloc(65_536));
  expect(gathered(pieces).pieces).toEqual(pieces);
});

test("a packet of MQTT that comes byte by byte is the same packet", () => {
  const packet = Buffer.concat([Buffer.from([0x10, 0x88, 0x27]), Buffer.alloc(5_000, "x")]);
  const frames = new Frames(262_144);
  for (const byte of packet.subarray(0, -1)) frames.add(Buffer.from([byte]));
  expect(frames.next()).toBeUndefined();
  frames.add(packet.subarray(-1));
  expect(frames.next()?.equals(packet)).toBe(true);
});
