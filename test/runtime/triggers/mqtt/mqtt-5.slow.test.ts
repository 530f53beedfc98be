import { setTimeout as sleep } from "node:timers/promises";
import type { IClientOptions, IPublishPacket } from "mqtt";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { client, closeClients, type Kind, startBroker, topic } from "./mqtt-clients.ts";
import { type Client, endAll } from "./mqtt-serving.ts";

// The additions of MQTT 5 to 3.1.1: properties, expiry, options of subscriptions, aliases, limits (spec/surfaces 4).

beforeAll(startBroker);
afterAll(endAll);

afterEach(closeClients);

describe("version 5", () => {
  const kind: Kind = ["tcp", 5];

  async function packets(here: Client, count: number, act: () => Promise<unknown>): Promise<IPublishPacket[]> {
    const all: IPublishPacket[] = [];
    here.mqtt.on("packetreceive", (packet) => {
      if (packet.cmd === "publish") all.push(packet);
    });
    await act();
    await here.has(count);
    return all;
  }

  test("properties of a message reach its subscribers, the numbers of all subscriptions with them", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync(`${name}/#`, { qos: 1, properties: { subscriptionIdentifier: 7 } });
    await here.mqtt.subscribeAsync(`${name}/+`, { qos: 0, properties: { subscriptionIdentifier: 9 } });
    const properties = {
      contentType: "text/plain",
      responseTopic: "answers",
      correlationData: Buffer.from([0, 255]),
      payloadFormatIndicator: true,
      userProperties: { a: ["1", "2"], constructor: "3" },
      messageExpiryInterval: 60,
    };
    const [packet] = await packets(here, 1, () => here.mqtt.publishAsync(`${name}/a`, "x", { qos: 1, properties }));
    expect({ ...packet?.properties, userProperties: { ...packet?.properties?.userProperties } }).toEqual({
      ...properties,
      subscriptionIdentifier: [7, 9],
    });
  });

  test("a message is not delivered after its time", async () => {
    const kept = { clientId: "expiry", clean: false, properties: { sessionExpiryInterval: 60 } };
    const name = topic();
    const before = await client(kind, kept);
    await before.mqtt.subscribeAsync(name, { qos: 1 });
    await before.mqtt.endAsync();
    const sender = await client(kind);
    await sender.mqtt.publishAsync(name, "late", { qos: 1, properties: { messageExpiryInterval: 1 } });
    await sender.mqtt.publishAsync(name, "in time", { qos: 1, properties: { messageExpiryInterval: 60 } });
    await sleep(1_050);
    const after = await client(kind, kept);
    await after.has(1);
    expect(after.got).toEqual([`${name} in time 1 false`]);
  });

  test("no local, retain as published and retain handling", async () => {
    const [here, sender] = [await client(kind), await client(kind)];
    const name = topic();
    await sender.mqtt.publishAsync(`${name}/kept`, "old", { qos: 1, retain: true });
    await here.mqtt.subscribeAsync(`${name}/+`, { qos: 1, nl: true, rap: true, rh: 2 });
    await here.mqtt.publishAsync(`${name}/own`, "mine", { qos: 1 });
    await sender.mqtt.publishAsync(`${name}/kept`, "new", { qos: 1, retain: true });
    await here.has(1);
    expect(here.got).toEqual([`${name}/kept new 1 true`]);
    await here.mqtt.subscribeAsync(`${name}/+`, { qos: 1, nl: true, rap: true, rh: 1 });
    await here.mqtt.subscribeAsync(`${name}/+`, { qos: 1, nl: true, rap: true, rh: 0 });
    await here.has(2);
    expect(here.got).toHaveLength(2);
  });

  test("a shared subscription gives each message to one of its members", async () => {
    const [one, other, sender] = [await client(kind), await client(kind), await client(kind)];
    const name = topic();
    for (const member of [one, other]) await member.mqtt.subscribeAsync(`$share/workers/${name}/+`, { qos: 1 });
    for (let i = 0; i < 10; i++) await sender.mqtt.publishAsync(`${name}/a`, `${i}`, { qos: 1 });
    await Promise.all([one.has(5), other.has(5)]);
    expect([...one.got, ...other.got].toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `${name}/a ${i} 1 false`));
  });

  test("a topic alias stands for its topic", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync(name);
    await here.mqtt.publishAsync(name, "named", { properties: { topicAlias: 3 } });
    await here.mqtt.publishAsync("", "by number", { properties: { topicAlias: 3 } });
    await here.has(2);
    expect(here.got).toEqual([`${name} named 0 false`, `${name} by number 0 false`]);
  });

  test("a client learns what the broker offers, and its name if it has none", async () => {
    const made = await client(kind, { clientId: "", keepalive: 0, properties: { sessionExpiryInterval: 100_000 } });
    const { assignedClientIdentifier, ...offered } = made.connack.properties ?? {};
    expect(offered).toEqual({
      sessionExpiryInterval: 86_400,
      receiveMaximum: 64,
      retainAvailable: true,
      maximumPacketSize: 262_144,
      topicAliasMaximum: 16,
      wildcardSubscriptionAvailable: true,
      subscriptionIdentifiersAvailable: true,
      sharedSubscriptionAvailable: true,
      serverKeepAlive: 300,
    });
    expect(assignedClientIdentifier).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("no more messages are on their way than the client takes, and none that is too large for it", async () => {
    const here = await client(kind, { properties: { receiveMaximum: 2, maximumPacketSize: 100 } });
    const held: (() => void)[] = [];
    here.mqtt.handleMessage = (_, done) => void held.push(() => done());
    const name = topic();
    await here.mqtt.subscribeAsync(name, { qos: 1 });
    const sender = await client(kind);
    for (const text of ["1", "x".repeat(200), "2", "3"]) await sender.mqtt.publishAsync(name, text, { qos: 1 });
    await here.has(1);
    await sleep(30);
    // MQTT.js hands on one message at a time; a second one waits in its buffer, and a third one on the server.
    for (let i = 0; i < 3; i++) {
      await here.has(i + 1);
      held[i]?.();
    }
    expect(here.got).toEqual(["1", "2", "3"].map((text) => `${name} ${text} 1 false`));
  });

  test("a will waits for its time, and is not published when the client comes back", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync(`${name}/+`);
    const with5 = (end: string, delay: number): IClientOptions => ({
      clientId: `${name}-${end}`,
      clean: false,
      properties: { sessionExpiryInterval: 60 },
      will: { topic: `${name}/${end}`, payload: Buffer.from("gone"), qos: 0, retain: false, properties: { willDelayInterval: delay } },
    });
    const [late, back] = [await client(kind, with5("late", 3)), await client(kind, with5("back", 3))];
    late.mqtt.stream.destroy();
    back.mqtt.stream.destroy();
    await Promise.all([late.closed, back.closed]);
    await client(kind, with5("back", 3));
    expect(here.got).toEqual([]);
    await here.has(1);
    expect(here.got).toEqual([`${name}/late gone 0 false`]);
  });
});
