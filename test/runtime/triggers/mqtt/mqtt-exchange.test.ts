import { setTimeout as sleep } from "node:timers/promises";
import type { Packet } from "mqtt-packet";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeAll, raw } from "./mqtt-raw.ts";
import { type Broker, brokerOf, endAll } from "./mqtt-serving.ts";

// The packets that the broker and a client exchange, one by one (MQTT 4.3 and 4.4).

let broker: Broker;
beforeAll(async () => {
  broker = await brokerOf("name: devices\ninterfaces:\n  telemetry: { mqtt: reading, actions: [{ name: Body, input: a|body| }] }\n");
});
afterAll(endAll);
afterEach(closeAll);

describe("exchanges", () => {
  const publish = (qos: 0 | 1 | 2, messageId: number, more: object = {}): Packet =>
    ({ cmd: "publish", topic: "exchange", payload: `${messageId}`, qos, dup: false, retain: false, messageId, ...more }) as Packet;

  test("a message of QoS 2 that is sent again before it is released comes once", async () => {
    const [client, here] = [await raw(broker, 4), await broker.connect()];
    await here.mqtt.subscribeAsync("exchange");
    client.send(publish(2, 7));
    client.send(publish(2, 7, { dup: true }));
    expect([await client.next(), await client.next()]).toMatchObject([{ cmd: "pubrec" }, { cmd: "pubrec" }]);
    await sleep(20);
    expect(here.got).toEqual([]);
    for (let i = 0; i < 2; i++) {
      client.send({ cmd: "pubrel", messageId: 7 });
      expect(await client.next()).toMatchObject({ cmd: "pubcomp", messageId: 7 });
    }
    // Then the number is free again.
    client.send(publish(2, 7));
    client.send({ cmd: "pubrel", messageId: 7 });
    await here.has(2);
    expect(here.got).toEqual(["exchange 7 0 false", "exchange 7 0 false"]);
  });

  test("version 5 is told of numbers that nobody knows, of topics without subscribers, and of subscriptions that were not", async () => {
    const client = await raw(broker, 5);
    client.send({ cmd: "pubrel", messageId: 9 });
    expect(await client.next()).toMatchObject({ cmd: "pubcomp", reasonCode: 0x92 });
    client.send({ cmd: "pubrec", messageId: 9 });
    expect(await client.next()).toMatchObject({ cmd: "pubrel", reasonCode: 0x92 });
    client.send(publish(1, 3, { topic: "nobody/listens" }));
    expect(await client.next()).toMatchObject({ cmd: "puback", messageId: 3, reasonCode: 0x10 });
    client.send({ cmd: "unsubscribe", messageId: 4, unsubscriptions: ["a"] });
    expect(await client.next()).toMatchObject({ cmd: "unsuback", granted: [0x11] });
  });

  test("what a client has not acknowledged is sent again when it comes back, with DUP and the same number", async () => {
    const kept = { clientId: "again", clean: false, properties: { sessionExpiryInterval: 60 } };
    const client = await raw(broker, 5, kept);
    client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "again", qos: 2 }] });
    await client.next();
    const sender = await broker.connect();
    for (const qos of [1, 2] as const) await sender.mqtt.publishAsync("again", `q${qos}`, { qos });
    const [one, two] = [await client.next(), await client.next()];
    expect([one, two]).toMatchObject([
      { qos: 1, dup: false },
      { qos: 2, dup: false },
    ]);
    client.send({ cmd: "pubrec", messageId: two.messageId ?? 0 });
    expect(await client.next()).toMatchObject({ cmd: "pubrel" });
    client.socket.destroy();
    await client.closed;
    const back = await raw(broker, 5, kept);
    expect([await back.next(), await back.next()]).toMatchObject([
      { cmd: "publish", messageId: one.messageId, dup: true, qos: 1 },
      { cmd: "pubrel", messageId: two.messageId },
    ]);
    back.send({ cmd: "pubcomp", messageId: two.messageId ?? 0 });
    back.send({ cmd: "puback", messageId: one.messageId ?? 0 });
    back.send({ cmd: "pingreq" });
    expect(await back.next()).toMatchObject({ cmd: "pingresp" });
  });

  test("a client that refuses a message of QoS 2 is not asked to release it", async () => {
    const client = await raw(broker, 5);
    client.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "refuse", qos: 2 }] });
    await client.next();
    const sender = await broker.connect();
    await sender.mqtt.publishAsync("refuse", "x", { qos: 2 });
    const { messageId = 0 } = await client.next();
    client.send({ cmd: "pubrec", messageId, reasonCode: 0x83 });
    client.send({ cmd: "pingreq" });
    expect(await client.next()).toMatchObject({ cmd: "pingresp" });
  });

  test("too many subscriptions are refused one by one", async () => {
    for (const [version, code] of [
      [4, 0x80],
      [5, 0x97],
    ] as const) {
      const client = await raw(broker, version);
      const subscriptions = Array.from({ length: 1_001 }, (_, i) => ({ topic: `cap/${i}`, qos: 0 as const }));
      client.send({ cmd: "subscribe", messageId: 1, subscriptions });
      const { granted } = (await client.next()) as Packet & { granted: number[] };
      expect([granted.length, granted[999], granted[1_000]]).toEqual([1_001, 0, code]);
    }
  });
});
