import type { Packet } from "mqtt-packet";
import { expect, test } from "vitest";
import { Decoder, encode } from "#runtime/triggers/mqtt/packets.ts";
import { hello } from "./mqtt-raw.ts";

test.each<readonly [4 | 5, Packet]>([
  [4, { ...hello(4), clientId: "\ufffd", username: "\ufffd", password: Buffer.from([0xff]) } as Packet],
  [
    5,
    {
      ...hello(5),
      clientId: "\ufffd",
      will: { topic: "\ufffd", payload: Buffer.from([0xff]), qos: 0, retain: false },
      username: "u",
    } as Packet,
  ],
  [4, { cmd: "publish", topic: "a/\ufffd", payload: Buffer.from([0xff]), qos: 0, dup: false, retain: false }],
  [5, { cmd: "publish", topic: "a", payload: "", qos: 1, messageId: 1, dup: false, retain: false, properties: { contentType: "\ufffd" } }],
  [4, { cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "\ufffd", qos: 0 }] }],
  [4, { cmd: "unsubscribe", messageId: 1, unsubscriptions: ["\ufffd", "a"] }],
])("U+FFFD is a character like others, in version %i", (version, packet) => {
  const decoder = new Decoder();
  if (packet.cmd !== "connect") decoder.decode(encode(hello(version), version));
  expect(decoder.decode(encode(packet, version)).cmd).toBe(packet.cmd);
});
