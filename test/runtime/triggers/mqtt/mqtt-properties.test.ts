import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import { closeAll, Raw, raw } from "./mqtt-raw.ts";
import { type Broker, brokerOf, endAll } from "./mqtt-serving.ts";

// Properties of MQTT 5 that the library reads in its own way (spec/surfaces 4).

let broker: Broker;
beforeAll(async () => {
  broker = await brokerOf("name: devices\ninterfaces:\n  telemetry: { mqtt: reading, actions: [{ name: Body, input: a|body| }] }\n");
});
afterAll(endAll);

afterEach(closeAll);

const utf8 = (text: string): number[] => [0, text.length, ...Buffer.from(text)];

test("a CONNECT whose properties, or those of its will, are wrong is closed", async () => {
  for (const bytes of [
    [0x10, 17, ...utf8("MQTT"), 5, 2, 0, 0, 4, 23, 0, 23, 0, 0, 0],
    [0x10, 15, ...utf8("MQTT"), 5, 2, 0, 0, 2, 25, 2, 0, 0],
    [0x10, 24, ...utf8("MQTT"), 5, 6, 0, 0, 0, 0, 1, 98, 4, 1, 0, 1, 0, 0, 1, 97, 0, 0],
  ]) {
    const client = new Raw(broker, 5);
    client.send(bytes);
    expect(await client.ended()).toEqual([]);
  }
});

test("values of a user property that comes again stay in their order, empty ones too; so do those of a will", async () => {
  const here = await raw(broker, 5);
  let bytes = Buffer.alloc(0);
  here.socket.removeAllListeners("data").on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
  });
  here.send([0x82, 7, 0, 1, 0, 0, 1, 35, 0]);
  await until(() => expect(bytes.length).toBeGreaterThan(0));
  const pairs = [
    ["tag", ""],
    ["tag", "b"],
    ["tag", ""],
    ["none", ""],
    ["none", ""],
  ].flatMap((pair) => [38, ...pair.flatMap(utf8)]);
  for (const topic of ["sent", "will"]) {
    bytes = Buffer.alloc(0);
    const userProperties = { tag: ["", "b", ""], none: ["", ""] };
    const will = { topic, payload: Buffer.from("x"), qos: 0, retain: false, properties: { userProperties } };
    const sender = await raw(broker, 5, topic === "will" ? { will } : {});
    if (topic === "sent")
      sender.send({ cmd: "publish", topic, payload: "x", qos: 0, dup: false, retain: false, properties: { userProperties } });
    else sender.socket.destroy();
    await until(() => expect(bytes.includes(Buffer.from([...utf8(topic), pairs.length, ...pairs]))).toBe(true));
  }
});
