import fc from "fast-check";
import { generate } from "mqtt-packet";
import { expect, test } from "vitest";
import { Frames } from "#runtime/triggers/mqtt/frames.ts";
import { Violation } from "#runtime/triggers/mqtt/reasons.ts";

// How the bytes of a connection become packets [MQTT-6.0.0-2]: the same ones, however the bytes come.

const connect = generate({ cmd: "connect", protocolId: "MQTT", protocolVersion: 4, clean: true, clientId: "a", keepalive: 0 });

const packet = (size: number): Buffer =>
  generate({ cmd: "publish", topic: "t", payload: "x".repeat(size), qos: 0, dup: false, retain: false });

/** The packets that are complete with the chunk. */
function* taken(frames: Frames, chunk: Buffer): Generator<Buffer> {
  frames.add(chunk);
  for (let frame = frames.next(); frame !== undefined; frame = frames.next()) yield frame;
}

test("packets may span chunks and share them", () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 120, max: 130 }), fc.integer({ min: 16_375, max: 16_390 })),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(sizes, fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 8 }), fc.boolean(), (given, cuts, isSingle) => {
      const packets = [connect, ...given.map(packet)];
      const bytes = Buffer.concat(packets);
      const frames = new Frames(262_144);
      const got: Buffer[] = [];
      let from = 0;
      for (const cut of isSingle ? Array.from({ length: Math.min(bytes.length, 500) }, () => 1) : cuts) {
        got.push(...taken(frames, bytes.subarray(from, from + cut)));
        from += cut;
      }
      got.push(...taken(frames, bytes.subarray(from)));
      return got.length === packets.length && got.every((frame, i) => frame.equals(packets[i] ?? Buffer.alloc(0)));
    }),
    { numRuns: 300 },
  );
});

test("a packet is refused as soon as it says that it is too long, and those before it are not", () => {
  const frames = new Frames(100);
  const got: Buffer[] = [];
  const take = (): void => {
    for (const frame of taken(frames, Buffer.concat([connect, packet(10), packet(200).subarray(0, 3)]))) got.push(frame);
  };
  expect(take).toThrow(Violation);
  expect(got).toEqual([connect, packet(10)]);
});
