import { generate, type Packet } from "mqtt-packet";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { closeAll, hello, Raw } from "./mqtt-raw.ts";
import { type Broker, brokerOf, endAll } from "./mqtt-serving.ts";

// A client of MQTT 5 says how large a packet may be, and gets none that is larger [MQTT-3.1.2-24].

let broker: Broker;
beforeAll(async () => {
  broker = await brokerOf("name: devices\ninterfaces:\n  telemetry: { mqtt: reading, actions: [] }\n");
});
afterAll(endAll);

afterEach(closeAll);

/** A client that has said how large its packets may be. */
function client(maximumPacketSize: number, more: object = {}): Raw {
  const raw = new Raw(broker, 5);
  raw.send(hello(5, { keepalive: 60, properties: { maximumPacketSize }, ...more }));
  return raw;
}

const sizeOf = (packet: Packet): number => generate(packet, { protocolVersion: 5 }).length;

/** The last packets before the end, by name and reason. */
const ended = async (raw: Raw): Promise<unknown> =>
  (await raw.ended()).map((packet) => [packet.cmd, "reasonCode" in packet ? packet.reasonCode : undefined]);

test("a CONNACK leaves out what holds anyway, and then what costs the client a convenience", async () => {
  const whole = await client(24).next();
  expect(whole).toMatchObject({ cmd: "connack", reasonCode: 0, properties: { retainAvailable: true, topicAliasMaximum: 16 } });
  expect(sizeOf(whole)).toBe(24);
  for (const size of [23, 20, 16, 13]) {
    const connack = await client(size).next();
    expect(connack).toMatchObject({ cmd: "connack", reasonCode: 0, properties: { receiveMaximum: 64, maximumPacketSize: 262_144 } });
    expect(sizeOf(connack)).toBeLessThanOrEqual(size);
  }
  expect(await client(16).next()).toMatchObject({ properties: { topicAliasMaximum: 16 } });
});

test("a client that could not read what it has to know is hung up on without a CONNACK", async () => {
  expect(await ended(client(12))).toEqual([]);
  // The keep-alive that holds in place of none has three bytes.
  expect(await ended(client(15, { keepalive: 0 }))).toEqual([]);
  expect(await client(16, { keepalive: 0 }).next()).toMatchObject({ properties: { serverKeepAlive: 300 } });
});

test("a refusal is sent where it fits", async () => {
  expect(await ended(client(5, { password: Buffer.from("wrong") }))).toEqual([["connack", 0x86]]);
  expect(await ended(client(4, { password: Buffer.from("wrong") }))).toEqual([]);
});

test("a client that asks for more than it can be answered is disconnected before anything is done", async () => {
  const filters = Array.from({ length: 15 }, (_, i) => `${i}`);
  const subscribe = (topics: readonly string[]): Packet =>
    ({ cmd: "subscribe", messageId: 1, subscriptions: topics.map((topic) => ({ topic, qos: 0 })) }) as Packet;
  const within = client(20);
  await within.next();
  within.send(subscribe(filters));
  const suback = await within.next();
  expect([suback.cmd, sizeOf(suback)]).toEqual(["suback", 20]);
  within.send({ cmd: "unsubscribe", messageId: 2, unsubscriptions: [...filters, "more"] });
  expect(await ended(within)).toEqual([["disconnect", 0x95]]);
  const beyond = client(20);
  await beyond.next();
  beyond.send(subscribe([...filters, "more"]));
  expect(await ended(beyond)).toEqual([["disconnect", 0x95]]);
});
