import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { IPublishPacket } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { DurableRetained } from "#runtime/realtime/durable-retained.ts";
import { durable } from "#runtime/triggers/mqtt/durable.ts";
import { Retained } from "#runtime/triggers/mqtt/retained.ts";
import { type Broker, brokerOf, type Client, endAll } from "./mqtt-serving.ts";

// Retained messages outlive the process where its state does (spec/surfaces 4 and 17).

const text = `
name: kept
interfaces:
  late:
    mqtt: in
    public: true
    actions:
      - { name: Wait, delay: 80ms }
      - { name: Keep, mqtt_publish: { topics: from/run, data: a|body|, qos: 1, retain: true } }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
});
afterEach(async () => {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Promise<Broker> => brokerOf(text, { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "state.db")}` });

/** The retained messages, as a client gets them that subscribes now. */
async function kept(broker: Broker, count: number, packets: IPublishPacket[] = []): Promise<Client> {
  const client = await broker.connect({ protocolVersion: 5 });
  client.mqtt.on("packetreceive", (packet) => {
    if (packet.cmd === "publish") packets.push(packet);
  });
  await client.mqtt.subscribeAsync("#", { qos: 2 });
  await client.has(count);
  await sleep(20);
  return client;
}

test("what is retained is there again, with all that belongs to it; what was cleared or has ended is not", async () => {
  const first = await start();
  const sender = await first.connect({ protocolVersion: 5 });
  const properties = {
    contentType: "text/plain",
    responseTopic: "answers",
    correlationData: Buffer.from([0, 255]),
    payloadFormatIndicator: true,
    userProperties: { a: ["1", "2"], constructor: "3" },
  };
  const retain = (topic: string, payload: string | Buffer, more: object = {}) =>
    sender.mqtt.publishAsync(topic, payload, { qos: 2, retain: true, ...more });
  await retain("a", "old");
  await retain("a", Buffer.from([0, 200, 10]), { qos: 1, properties: { ...properties, messageExpiryInterval: 60 } });
  await retain("b", "cleared");
  await retain("b", "");
  await retain("c", "soon over", { properties: { messageExpiryInterval: 1 } });
  await retain("d", "plain");
  await retain("x".repeat(600), "a long name");
  await first.served.close();
  await sleep(1_000);
  const packets: IPublishPacket[] = [];
  const again = await start();
  await kept(again, 3, packets);
  const shown = packets.map(({ topic, payload, qos, retain, properties }) => ({
    topic,
    payload: [...Buffer.from(payload)],
    qos,
    retain,
    properties,
  }));
  expect(shown.toSorted((a, b) => (a.topic < b.topic ? -1 : 1))).toMatchObject([
    { topic: "a", payload: [0, 200, 10], qos: 1, retain: true, properties },
    { topic: "d", payload: [...Buffer.from("plain")], qos: 2, retain: true },
    { topic: "x".repeat(600), payload: [...Buffer.from("a long name")], qos: 2, retain: true },
  ]);
  expect(shown.find(({ topic }) => topic === "a")?.properties?.messageExpiryInterval).toBeLessThan(60);
  expect(again.log.filter((line) => line.startsWith("warn"))).toEqual([]);
});

test("what an earlier version has retained in the state is there, and comes back no more once it is cleared", async () => {
  const host = createHost({
    env: { PIPEWRIGHT_ORG: "acme", PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "state.db")}` },
    organisation: "acme",
  });
  const retained = new Retained(host.monotonic);
  const stored = new DurableRetained(host, durable(retained, host), "mqtt");
  for (const topic of ["old/1", "old/2"]) retained.keep({ topic, payload: Buffer.from("x"), qos: 1, retain: true });
  await stored.flush();
  await host.close();
  const first = await start();
  const client = await kept(first, 2);
  expect(client.got.toSorted()).toEqual(["old/1 x 1 true", "old/2 x 1 true"]);
  await client.mqtt.publishAsync("old/1", "", { qos: 1, retain: true });
  await first.served.close();
  expect((await kept(await start(), 1)).got).toEqual(["old/2 x 1 true"]);
});

test("what a run retains while the process ends is kept", async () => {
  const first = await start();
  const sender = await first.connect();
  await sender.mqtt.publishAsync("production/late/in", "last words", { qos: 1 });
  expect(await first.served.close()).toBe(true);
  const client = await kept(await start(), 1);
  expect(client.got).toEqual(["from/run last words 1 true"]);
});

test("a store that cannot be read is said, and the broker serves without", async () => {
  writeFileSync(join(folder, "state.db"), "no database, but long enough to be taken for one".repeat(100));
  const broker = await start().catch((error: unknown) => error as Error);
  if (broker instanceof Error) throw broker;
  expect(broker.log.some((line) => line.startsWith("warn mqtt: retained messages cannot be read"))).toBe(true);
  const here = await broker.connect();
  await here.mqtt.publishAsync("a", "x", { qos: 1, retain: true });
  await kept(broker, 1);
});
