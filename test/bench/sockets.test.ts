import { expect, test } from "vitest";
import { isWorse, most } from "./baseline.ts";
import { totalOf } from "./instructions.ts";
import { frameOf, textAt } from "./socket-client.ts";
import { planService } from "./systems.ts";
import { socketWorkloads } from "./websockets.ts";

test("the service of sockets compiles", async () => {
  const { plans } = await planService(undefined, "sockets.yaml");
  expect(plans.flatMap(({ interfaces }) => interfaces.map(({ name }) => name))).toEqual(Object.keys(socketWorkloads));
});

test("a frame of the client has a mask, and its text is at most 125 bytes", () => {
  expect(frameOf("hi")).toEqual(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
  expect(() => frameOf("x".repeat(126))).toThrow("at most 125 bytes");
});

test("frames are read one after the other, and one that has not come whole is waited for", () => {
  const long = Buffer.concat([Buffer.from([0x81, 126, 1, 0]), Buffer.alloc(256, "a")]);
  const bytes = Buffer.concat([Buffer.from([0x81, 2, 0x68, 0x69]), long]);
  expect(textAt(bytes, 0)).toMatchObject({ text: Buffer.from("hi"), next: 4, opcode: 1 });
  expect(textAt(bytes, 4)).toMatchObject({ text: Buffer.alloc(256, "a"), next: 264 });
  for (const missing of [bytes.subarray(0, 5), bytes.subarray(0, 7), bytes.subarray(0, 263)]) expect(textAt(missing, 4)).toBeUndefined();
  expect(() => textAt(Buffer.from([0x81, 127]), 0)).toThrow("over 64 KiB");
});

test("the count of instructions is read from a dump, and is no number where the dump has none", () => {
  expect(totalOf("events: Ir\nsummary: 1234\n\n")).toBe(1234);
  expect(totalOf("events: Ir\n")).toBeNaN();
});

test("a ratio is worse when it is over 15 % above the baseline, or is no number", () => {
  expect(most).toBe(1.15);
  expect([isWorse(1.14, 1), isWorse(1.16, 1), isWorse(0.5, 1), isWorse(Number.NaN, 1)]).toEqual([false, true, false, true]);
});
