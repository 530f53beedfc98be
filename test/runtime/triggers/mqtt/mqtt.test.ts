import { setTimeout as sleep } from "node:timers/promises";
import type { IClientOptions } from "mqtt";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { broker, client, closeClients, type Kind, open, startBroker, topic } from "./mqtt-clients.ts";
import { endAll } from "./mqtt-serving.ts";

// The broker as clients know it (spec/surfaces 4), by a client that others use, too: what MQTT 3.1.1 and 5 say of messages, sessions and
// wills.

beforeAll(startBroker);
afterAll(endAll);

afterEach(closeClients);

const kinds: readonly Kind[] = [
  ["ws", 4],
  ["ws", 5],
  ["tcp", 4],
  ["tcp", 5],
];

describe.each(kinds)("over %s, version %i", (...kind) => {
  test("a message arrives with the lower of the two QoS", async () => {
    const [here, sender] = [await client(kind), await client(kind)];
    const name = topic();
    for (const qos of [0, 1, 2] as const) await here.mqtt.subscribeAsync(`${name}/${qos}/+`, { qos });
    for (const qos of [0, 1, 2] as const)
      for (const wanted of [0, 1, 2]) await sender.mqtt.publishAsync(`${name}/${wanted}/x`, `${qos}`, { qos });
    await here.has(9);
    const expected = [0, 1, 2].flatMap((qos) => [0, 1, 2].map((wanted) => `${name}/${wanted}/x ${qos} ${Math.min(qos, wanted)} false`));
    expect(here.got.toSorted()).toEqual(expected.toSorted());
  });

  test("messages of a topic keep their order", async () => {
    const [here, sender] = [await client(kind), await client(kind)];
    const name = topic();
    await here.mqtt.subscribeAsync(name, { qos: 2 });
    await Promise.all(Array.from({ length: 60 }, (_, i) => sender.mqtt.publishAsync(name, `${i}`, { qos: 2 })));
    await here.has(60);
    expect(here.got).toEqual(Array.from({ length: 60 }, (_, i) => `${name} ${i} 2 false`));
  });

  test("overlapping subscriptions give one copy with the highest QoS", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync({ [`${name}/#`]: { qos: 0 }, [`${name}/+`]: { qos: 2 }, [`${name}/a`]: { qos: 1 } });
    await here.mqtt.publishAsync(`${name}/a`, "x", { qos: 2 });
    await here.mqtt.publishAsync(`${name}/end`, "", { qos: 0 });
    await here.has(2);
    expect(here.got.toSorted()).toEqual([`${name}/a x 2 false`, `${name}/end  0 false`].toSorted());
  });

  test("a retained message comes with a new subscription, is replaced, and is cleared by an empty one", async () => {
    const [live, sender] = [await client(kind), await client(kind)];
    const name = topic();
    await live.mqtt.subscribeAsync(`${name}/#`);
    for (const text of ["old", "new"]) await sender.mqtt.publishAsync(`${name}/a`, text, { qos: 1, retain: true });
    await sender.mqtt.publishAsync(`${name}/b`, "other", { qos: 1, retain: true });
    await live.has(3);
    // A client that was subscribed gets it as an ordinary message.
    expect(live.got.every((line) => line.endsWith(" false"))).toBe(true);
    const late = await client(kind);
    await late.mqtt.subscribeAsync(`${name}/+`, { qos: 1 });
    await late.has(2);
    expect(late.got.toSorted()).toEqual([`${name}/a new 1 true`, `${name}/b other 1 true`]);
    await sender.mqtt.publishAsync(`${name}/a`, "", { qos: 1, retain: true });
    const later = await client(kind);
    await later.mqtt.subscribeAsync(`${name}/+`, { qos: 0 });
    await later.has(1);
    await sleep(20);
    expect(later.got).toEqual([`${name}/b other 0 true`]);
  });

  test("wildcards: # matches the level above it, + one level, neither the topics of the server", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync([`${name}/#`]);
    for (const end of ["", "/a", "/a/b"]) await here.mqtt.publishAsync(name + end, "x", { qos: 1 });
    await here.has(3);
    expect(here.got.map((line) => line.split(" ")[0])).toEqual([name, `${name}/a`, `${name}/a/b`]);
  });

  test("after an unsubscribe nothing comes", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync([name, `${name}/end`]);
    await here.mqtt.unsubscribeAsync(name);
    await here.mqtt.publishAsync(name, "x", { qos: 1 });
    await here.mqtt.publishAsync(`${name}/end`, "y", { qos: 1 });
    await here.has(1);
    expect(here.got).toEqual([`${name}/end y 0 false`]);
  });

  test("a will is published when the connection breaks, not when the client goes as it should", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync(`${name}/+`, { qos: 1 });
    const will = (end: string) => ({ will: { topic: `${name}/${end}`, payload: Buffer.from("gone"), qos: 1 as const, retain: false } });
    const [breaks, goes] = [await client(kind, will("breaks")), await client(kind, will("goes"))];
    await goes.mqtt.endAsync();
    breaks.mqtt.stream.destroy();
    await here.has(1);
    await sleep(20);
    expect(here.got).toEqual([`${name}/breaks gone 1 false`]);
  });

  test("a second client of the same name takes the place of the first", async () => {
    const name = `same-${kind.join("-")}`;
    const first = await client(kind, { clientId: name });
    const second = await client(kind, { clientId: name });
    await first.closed;
    const own = topic();
    await second.mqtt.subscribeAsync(own);
    await second.mqtt.publishAsync(own, "still here", { qos: 1 });
    await second.has(1);
  });

  test("a session outlives its connection: subscriptions, messages of QoS 1 and 2 in order", async () => {
    const kept: IClientOptions = {
      clientId: `kept-${kind.join("-")}`,
      clean: false,
      ...(kind[1] === 5 ? { properties: { sessionExpiryInterval: 60 } } : {}),
    };
    const name = topic();
    const before = await client(kind, kept);
    await before.mqtt.subscribeAsync(`${name}/+`, { qos: 2 });
    await before.mqtt.endAsync();
    const sender = await client(kind);
    for (const [i, qos] of ([1, 1, 0, 2] as const).entries()) await sender.mqtt.publishAsync(`${name}/a`, `${i}`, { qos });
    const after = await client(kind, kept);
    await after.has(3);
    expect([before, after].map(({ connack }) => connack.sessionPresent)).toEqual([false, true]);
    expect(after.got).toEqual([`${name}/a 0 1 false`, `${name}/a 1 1 false`, `${name}/a 3 2 false`]);
    await after.mqtt.endAsync();
    // A clean start ends it.
    const clean = await client(kind, { clientId: kept.clientId ?? "" });
    await sender.mqtt.publishAsync(`${name}/a`, "x", { qos: 1 });
    await sleep(20);
    expect(clean.got).toEqual([]);
  });

  test("a client may send more than it takes at once, in pieces and in one piece", async () => {
    const here = await client(kind);
    const name = topic();
    await here.mqtt.subscribeAsync(name, { qos: 1 });
    const large = "x".repeat(200_000);
    await here.mqtt.publishAsync(name, large, { qos: 1 });
    await here.has(1);
    expect(here.got[0]).toHaveLength(large.length + name.length + " 1 false".length + 1);
  });
});

test("clients of all versions reach each other", async () => {
  const name = topic();
  const [old, current, sender] = [
    await broker.connect({ protocolVersion: 3, protocolId: "MQIsdp" }, "tcp"),
    await client(["ws", 4]),
    await client(["tcp", 5]),
  ];
  open.push(old);
  await Promise.all([old, current].map(({ mqtt }) => mqtt.subscribeAsync(name, { qos: 1 })));
  await sender.mqtt.publishAsync(name, "x", { qos: 2, properties: { contentType: "a" } });
  await Promise.all([old.has(1), current.has(1)]);
  expect([old.got, current.got]).toEqual([[`${name} x 1 false`], [`${name} x 1 false`]]);
});
