import type { Packet } from "mqtt-packet";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { Outage } from "#runtime/store/outage.ts";
import type { Created } from "#runtime/store/runs.ts";
import { readMessage, storedMessage } from "#runtime/triggers/mqtt/stored-message.ts";
import { until } from "../../../harness/until.ts";
import { durable as durableSession } from "./mqtt-processes.ts";
import { closeAll, type Raw, raw } from "./mqtt-raw.ts";
import { brokerOf, endAll } from "./mqtt-serving.ts";

// A message that runs a durable interface is acknowledged when its run is stored (spec/surfaces 14): a process that is killed before has
// acknowledged nothing.

const config = `
name: devices
interfaces:
  order:
    mqtt: new
    durable: true
    actions: [{ name: Body, input: a|body| }]
  reading:
    mqtt: new
    actions: [{ name: Body, input: a|body| }]
`;

const create = MemoryRuns.prototype.create;

/** Runs that the store is asked to keep: it does so, or fails, when the test says so. */
let asked: { readonly id: string; readonly keep: () => void; readonly fail: () => void }[] = [];

beforeEach(() => {
  asked = [];
  vi.spyOn(MemoryRuns.prototype, "create").mockImplementation(function (this: MemoryRuns, run) {
    return new Promise<Created | "quota">((resolve, reject) => {
      const keep = (): void => resolve(create.call(this, run));
      asked.push({ id: run.id, keep, fail: () => reject(new Outage("the connection is lost")) });
    });
  });
});
afterEach(() => {
  closeAll();
  vi.restoreAllMocks();
});
afterAll(endAll);

const publish = (topic: string, qos: 1 | 2, messageId: number): Packet =>
  ({ cmd: "publish", topic: `production/${topic}/new`, payload: `${messageId}`, qos, dup: false, retain: false, messageId }) as Packet;

const isAsked = (count: number): Promise<void> => until(() => expect(asked).toHaveLength(count));

/** All that came before was handled by then, and what could be acknowledged was. */
async function answersNothing(client: Raw): Promise<void> {
  client.send({ cmd: "pingreq" });
  expect(await client.next()).toMatchObject({ cmd: "pingresp" });
}

describe.each(["printed", "walked"] as const)("%s", (how) => {
  const served = (env: Record<string, string> = {}) => brokerOf(config, env, how === "walked");

  test.each([4, 5] as const)("version %s: a message of QoS 1 waits for its run, and later ones for it", async (version) => {
    const client = await raw(await served(), version);
    client.send(publish("order", 1, 7));
    client.send(publish("reading", 1, 8));
    await isAsked(1);
    await answersNothing(client);
    asked[0]?.keep();
    expect([await client.next(), await client.next()]).toMatchObject([
      { cmd: "puback", messageId: 7 },
      { cmd: "puback", messageId: 8 },
    ]);
  });

  test.each([4, 5] as const)("version %s: a message of QoS 2 is received when its run is stored, and runs once", async (version) => {
    const client = await raw(await served(), version);
    client.send(publish("order", 2, 7));
    await isAsked(1);
    // Sent again meanwhile, it is the same.
    client.send(publish("order", 2, 7));
    await answersNothing(client);
    asked[0]?.keep();
    expect(await client.next()).toMatchObject({ cmd: "pubrec", messageId: 7 });
    client.send({ cmd: "pubrel", messageId: 7 });
    expect(await client.next()).toMatchObject({ cmd: "pubcomp", messageId: 7 });
    await answersNothing(client);
    expect(asked).toHaveLength(1);
  });

  test.each([4, 5] as const)("version %s: a message of QoS 2 that comes again by another connection runs once", async (version) => {
    const { mqtt } = await (await served()).connect({ ...durableSession("again", version), reconnectPeriod: 1 }, "tcp");
    const published = mqtt.publishAsync("production/order/new", "1", { qos: 2 });
    await isAsked(1);
    // The client sends it again by itself, and the broker has it when it answers a question behind that.
    const isAnswered = new Promise<void>((resolve) => mqtt.on("packetreceive", ({ cmd }) => void (cmd === "pingresp" && resolve())));
    mqtt.on("packetsend", ({ cmd }) => void (cmd === "publish" && mqtt.sendPing()));
    mqtt.stream.destroy();
    await isAnswered;
    asked[0]?.keep();
    await published;
    // Its number is free for another message.
    const next = mqtt.publishAsync("production/order/new", "2", { qos: 2 });
    await isAsked(2);
    asked[1]?.keep();
    await next;
    expect(asked).toHaveLength(2);
  });

  test("a message that comes again by another connection is refused there, too, and may then come anew", async () => {
    const broker = await served();
    const session = { clientId: `refused-${how}`, clean: false, properties: { sessionExpiryInterval: 600 } };
    const first = await raw(broker, 5, session);
    first.send(publish("order", 2, 7));
    await isAsked(1);
    const second = await raw(broker, 5, session);
    second.send({ ...publish("order", 2, 7), dup: true } as Packet);
    await answersNothing(second);
    const probe = vi.spyOn(MemoryRuns.prototype, "probe");
    asked[0]?.fail();
    expect(await second.next()).toMatchObject({ cmd: "pubrec", messageId: 7, reasonCode: 0x97 });
    // The store counts as away until something could be written.
    await until(() => expect(probe).toHaveBeenCalled());
    second.send(publish("order", 2, 7));
    await isAsked(2);
    asked[1]?.keep();
    expect(await second.next()).toMatchObject({ cmd: "pubrec", messageId: 7, reasonCode: 0 });
  });

  test("a message whose run is not stored is refused", async () => {
    const client = await raw(await served(), 5);
    client.send(publish("order", 1, 7));
    await isAsked(1);
    asked[0]?.fail();
    expect(await client.next()).toMatchObject({ cmd: "puback", messageId: 7, reasonCode: 0x97 });
  });

  test("version 4 gets no acknowledgement then, and sends it again", async () => {
    const broker = await served();
    const client = await raw(broker, 4);
    client.send(publish("order", 2, 7));
    await isAsked(1);
    asked[0]?.fail();
    client.send(publish("reading", 1, 8));
    expect(await client.next()).toMatchObject({ cmd: "puback", messageId: 8 });
  });
});

test("a message that is held is stored with what is known of its run", () => {
  const clock = { now: () => 5, monotonic: () => 5 };
  const message = { topic: "t", payload: Buffer.from("x"), qos: 2, retain: false, isStoredRun: true } as const;
  expect(readMessage("t", storedMessage(message, clock), false, clock)).toEqual(message);
  const { isStoredRun: _, ...bare } = message;
  expect(readMessage("t", storedMessage(bare, clock), false, clock)).toEqual(bare);
});
