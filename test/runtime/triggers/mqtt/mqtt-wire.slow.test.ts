import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { generate, type Packet } from "mqtt-packet";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { send, sendRaw } from "../../../harness/sockets.ts";
import { closeAll, hello, Raw, raw } from "./mqtt-raw.ts";
import { type Broker, brokerOf, endAll } from "./mqtt-serving.ts";

// The broker against clients that do not keep to MQTT: what is malformed, too large, too much, or out of order ends a connection and
// nothing else.

let broker: Broker;
beforeAll(async () => {
  broker = await brokerOf("name: devices\ninterfaces:\n  telemetry: { mqtt: reading, actions: [{ name: Body, input: a|body| }] }\n");
});
afterAll(endAll);

afterEach(closeAll);

const utf8 = (text: string): number[] => [0, text.length, ...Buffer.from(text)];

/** U+FFFD in UTF-8, in whose place the library puts what is none. */
const replacement = [0xef, 0xbf, 0xbd];

describe("what comes before a CONNECT, and in its place", () => {
  test.each([
    ["another packet", [0xc0, 0]],
    ["a CONNECT with wrong flags", [0x11, 0]],
    ["HTTP", [...Buffer.from("GET / HTTP/1.1\r\n\r\n")]],
    ["another protocol", [0x10, 12, ...utf8("HTTP"), 4, 2, 0, 0, 0, 0]],
    ["a CONNECT that is cut short", [0x10, 3, 0, 4, 77]],
    ["a length of five bytes", [0x10, 0xff, 0xff, 0xff, 0xff, 1]],
    ["more than a packet may be", [0x10, 0xff, 0xff, 0x7f]],
    ["a reserved flag", [0x10, 12, ...utf8("MQTT"), 4, 3, 0, 0, 0, 0]],
    ["a name that is no UTF-8", [0x10, 14, ...utf8("MQTT"), 4, 2, 0, 0, 0, 2, 0xff, 0xfe]],
    ["a name that is no UTF-8, before U+FFFD", [0x10, 19, ...utf8("MQTT"), 4, 0x82, 0, 0, 0, 2, 0xff, 0xfe, 0, 3, ...replacement]],
    ["a name with U+0000", [0x10, 14, ...utf8("MQTT"), 4, 2, 0, 0, 0, 2, 65, 0]],
    ["a will of QoS 3", [0x10, 16, ...utf8("MQTT"), 4, 0x1e, 0, 0, 0, 0, 0, 1, 97, 0, 0]],
    ["a password without a user", [0x10, 15, ...utf8("MQTT"), 4, 0x42, 0, 0, 0, 0, 0, 1, 97]],
  ])("%s: the connection is closed without a word", async (_, bytes) => {
    const client = new Raw(broker, 4);
    client.send(bytes);
    expect(await client.ended()).toEqual([]);
  });

  test.each([
    [3, [0x20, 2, 0, 1]],
    [1, [0x20, 2, 0, 1]],
    [132, [0x20, 3, 0, 0x84, 0]],
    [6, [0x20, 3, 0, 0x84, 0]],
  ])("version %i is refused in a form that its client may know", async (level, expected) => {
    const client = new Raw(broker, 4);
    const bytes: Buffer[] = [];
    client.socket.removeAllListeners("data").on("data", (chunk) => void bytes.push(chunk));
    client.send([0x10, 12, ...utf8("MQTT"), level, 2, 0, 0, 0, 0]);
    await client.closed;
    expect([...Buffer.concat(bytes)]).toEqual(expected);
  });

  test("a CONNECT that comes byte by byte", async () => {
    const client = new Raw(broker, 4);
    for (const byte of generate(hello(4))) {
      client.socket.write(Buffer.from([byte]));
      await sleep(0);
    }
    expect(await client.next()).toMatchObject({ returnCode: 0 });
  });

  test("one without a name that wants its session kept", async () => {
    const [old, current] = [new Raw(broker, 4), new Raw(broker, 5)];
    old.send([0x10, 12, ...utf8("MQTT"), 4, 0, 0, 0, 0, 0]);
    expect(await old.next()).toMatchObject({ returnCode: 2 });
    current.send(hello(5, { clientId: "", clean: true, properties: { sessionExpiryInterval: 10 } }));
    expect(await current.next()).toMatchObject({ reasonCode: 0, properties: { assignedClientIdentifier: expect.any(String) } });
  });

  test("a second CONNECT ends the connection", async () => {
    const client = await raw(broker, 5);
    client.send(hello(5));
    expect(await client.ended()).toMatchObject([{ cmd: "disconnect", reasonCode: 0x82 }]);
  });

  test("authentication in several steps is not known", async () => {
    const client = new Raw(broker, 5);
    client.send(hello(5, { properties: { authenticationMethod: "SCRAM" } }));
    expect(await client.next()).toMatchObject({ cmd: "connack", reasonCode: 0x8c });
  });
});

describe("what ends a connection", () => {
  const publish = (more: object): Packet =>
    ({ cmd: "publish", topic: "a", payload: "x", qos: 0, dup: false, retain: false, ...more }) as Packet;

  test.each<[string, Packet | readonly number[], number]>([
    ["a topic with a wildcard", [0x30, 4, 0, 1, 43, 0], 0x90],
    ["no topic", [0x30, 3, 0, 0, 0], 0x82],
    ["a topic with U+0000", [0x30, 4, 0, 1, 0, 0], 0x81],
    ["a topic that is no UTF-8", [0x30, 4, 0, 1, 0xff, 0], 0x81],
    ["a topic that is no UTF-8, before U+FFFD", [0x30, 8, 0, 2, 97, 0xff, 0, ...replacement], 0x81],
    ["a topic that is U+FFFD together with the identifier", [0x32, 7, 0, 2, 97, ...replacement, 0], 0x81],
    ["a filter that is no UTF-8, behind U+FFFD", [0x82, 14, 0, 1, 0, 0, 3, ...replacement, 0, 0, 2, 97, 0xff, 0], 0x81],
    ["a filter to leave that is no UTF-8", [0xa2, 12, 0, 1, 0, 0, 3, ...replacement, 0, 2, 97, 0xff], 0x81],
    ["a user property that is no UTF-8", [0x30, 13, 0, 1, 97, 9, 0x26, 0, 3, ...replacement, 0, 1, 0xff], 0x81],
    ["a type of the content that is no UTF-8", [0x30, 11, 0, 1, 97, 4, 3, 0, 1, 0xff, ...replacement], 0x81],
    ["a topic that is cut short", [0x30, 3, 0, 9, 97], 0x81],
    ["QoS 3", [0x36, 6, 0, 1, 97, 0, 1, 0], 0x81],
    ["DUP of QoS 0", [0x38, 4, 0, 1, 97, 0], 0x81],
    ["the identifier 0", publish({ qos: 1, messageId: 0 }), 0x82],
    ["an alias that is too large", publish({ properties: { topicAlias: 17 } }), 0x94],
    ["an alias 0", [0x30, 7, 0, 1, 97, 3, 35, 0, 0], 0x82],
    ["an alias that stands for nothing", [0x30, 6, 0, 0, 3, 35, 0, 1], 0x82],
    ["a response topic with a wildcard", publish({ properties: { responseTopic: "a/#" } }), 0x82],
    ["a property of another packet", [0x30, 9, 0, 1, 97, 5, 17, 0, 0, 0, 1], 0x82],
    ["a property twice", [0x30, 10, 0, 1, 97, 6, 35, 0, 1, 35, 0, 1], 0x82],
    ["a property twice that is 0", [0x30, 8, 0, 1, 97, 4, 1, 0, 1, 0], 0x82],
    ["an expiry of 0 twice", [0x30, 14, 0, 1, 97, 10, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0], 0x82],
    ["a format indicator 2", [0x30, 6, 0, 1, 97, 2, 1, 2], 0x82],
    ["a property that reaches behind the others", [0x30, 7, 0, 1, 97, 1, 1, 0, 120], 0x81],
    ["a user property whose value reaches behind the others", [0x30, 11, 0, 1, 97, 6, 38, 0, 1, 97, 0, 1, 98], 0x81],
    ["properties longer than the packet", [0x30, 6, 0, 1, 97, 9, 1, 0], 0x81],
    ["no properties", [0x30, 3, 0, 1, 97], 0x81],
    ["a PINGREQ with a byte more", [0xc0, 1, 0], 0x81],
    ["a property that is none", [0x30, 6, 0, 1, 97, 2, 99, 0], 0x81],
    ["a SUBSCRIBE without a filter", [0x82, 3, 0, 1, 0], 0x82],
    ["a SUBSCRIBE with wrong flags", [0x80, 7, 0, 1, 0, 0, 1, 97, 0], 0x81],
    ["a wildcard within a level", [0x82, 8, 0, 1, 0, 0, 2, 97, 43, 0], 0x81],
    ["# before the end", [0x82, 9, 0, 1, 0, 0, 3, 35, 47, 97, 0], 0x81],
    ["an empty filter", [0x82, 6, 0, 1, 0, 0, 0, 0], 0x81],
    ["a shared filter without its group", [0x82, 15, 0, 1, 0, ...utf8("$share//a"), 0], 0x81],
    ["a subscription of QoS 3", [0x82, 7, 0, 1, 0, 0, 1, 97, 3], 0x81],
    ["reserved options", [0x82, 7, 0, 1, 0, 0, 1, 97, 0xc0], 0x81],
    ["no local of a shared subscription", [0x82, 16, 0, 1, 0, ...utf8("$share/g/a"), 4], 0x82],
    ["a subscription identifier 0", [0x82, 9, 0, 1, 2, 11, 0, 0, 1, 97, 0], 0x82],
    ["an UNSUBSCRIBE without a filter", [0xa2, 3, 0, 1, 0], 0x82],
    ["a packet of a server", [0xd0, 0], 0x82],
    ["AUTH", [0xf0, 2, 0x18, 0], 0x82],
    ["a type that is reserved", [0x00, 0], 0x81],
    ["a packet that is too large", [0x30, 0x81, 0x80, 0x10], 0x95],
    ["a length without end", [0x30, 0x80, 0x80, 0x80, 0x80], 0x81],
    ["a session to be kept that was not to be", { cmd: "disconnect", reasonCode: 0, properties: { sessionExpiryInterval: 5 } }, 0x82],
  ])("%s", async (_, packet, reasonCode) => {
    const client = await raw(broker, 5);
    client.send(packet);
    expect(await client.ended()).toMatchObject([{ cmd: "disconnect", reasonCode }]);
  });

  test("in version 3.1.1 it ends without a word", async () => {
    for (const bytes of [
      [0x30, 4, 0, 1, 43, 0],
      [0x30, 7, 0, 2, 97, 0xff, ...replacement],
      [0x40, 3, 0, 1, 0],
      [0xf0, 0],
      [0x82, 6, 0, 1, 0, 1, 97, 4],
    ]) {
      const client = await raw(broker, 4);
      client.send(bytes);
      expect(await client.ended()).toEqual([]);
    }
  });

  test("what came before is done, what comes after is not", async () => {
    const [client, here] = [await raw(broker, 5), await broker.connect()];
    await here.mqtt.subscribeAsync("burst/#");
    const part = (topic: string): Buffer => generate(publish({ topic }), { protocolVersion: 5 });
    client.send(Buffer.concat([part("burst/1"), part("burst/2"), Buffer.from([0x00, 0]), part("burst/3")]));
    await client.closed;
    await here.has(2);
    await sleep(20);
    expect(here.got).toEqual(["burst/1 x 0 false", "burst/2 x 0 false"]);
  });

  test("a mistake of its client, and its will is published", async () => {
    const here = await broker.connect();
    await here.mqtt.subscribeAsync("mistake");
    const client = await raw(broker, 4, { will: { topic: "mistake", payload: "gone", qos: 0, retain: false } });
    client.send([0xf0, 0]);
    await here.has(1);
  });

  test("too many messages of QoS 2 that are not released", async () => {
    const client = await raw(broker, 5);
    for (let messageId = 1; messageId <= 65; messageId++) client.send(publish({ topic: "many", qos: 2, messageId }));
    const got = await client.ended();
    expect(got.filter(({ cmd }) => cmd === "pubrec")).toHaveLength(64);
    expect(got.at(-1)).toMatchObject({ cmd: "disconnect", reasonCode: 0x93 });
  });

  test("silence for one and a half times the keep-alive, and its will is published", async () => {
    const here = await broker.connect();
    await here.mqtt.subscribeAsync("silence");
    const client = await raw(broker, 5, { keepalive: 2, will: { topic: "silence", payload: "gone", qos: 0, retain: false } });
    await sleep(900);
    client.send({ cmd: "pingreq" });
    expect(await client.next()).toMatchObject({ cmd: "pingresp" });
    const began = performance.now();
    expect(await client.ended()).toMatchObject([{ cmd: "disconnect", reasonCode: 0x8d }]);
    expect(performance.now() - began).toBeGreaterThan(2_000);
    await here.has(1);
  });
});

describe("over WebSocket", () => {
  const url = (): string => `${broker.served.url.replace("http", "ws")}/mqtt`;

  test("a request without upgrade is answered by 426, one without the sub-protocol by 400, another path by 404", async () => {
    const answer = await send(broker.served.url, "/mqtt");
    expect([answer.status, answer.headers.upgrade]).toEqual([426, "websocket"]);
    expect((await send(broker.served.url, "/acme/production/mqtt")).status).toBe(426);
    expect((await send(broker.served.url, "/acme/staging/mqtt")).status).toBe(404);
    expect((await send(broker.served.url, "/mqtt", { method: "POST" })).status).toBe(405);
    const asking = (more: readonly string[]): string =>
      [
        "GET /mqtt HTTP/1.1",
        "host: a",
        "connection: Upgrade",
        "upgrade: websocket",
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
        ...more,
        "",
        "",
      ].join("\r\n");
    const statusOf = async (more: readonly string[]): Promise<string> => (await sendRaw(broker.served.url, asking(more))).slice(9, 12);
    expect(await statusOf(["sec-websocket-version: 13"])).toBe("400");
    expect(await statusOf(["sec-websocket-version: 13", "sec-websocket-protocol: chat"])).toBe("400");
    expect(await statusOf(["sec-websocket-version: 8", "sec-websocket-protocol: mqtt"])).toBe("426");
    expect(await statusOf(["sec-websocket-version: 13", "sec-websocket-protocol: mqtt", "x-api-key: wrong"])).toBe("401");
  });

  test.each([
    [["mqtt"], "mqtt"],
    [["mqttv3.1"], "mqttv3.1"],
    [["mqttv3.1", "mqtt"], "mqtt"],
  ])("of %j it speaks %s", async (offered, spoken) => {
    const socket = new WebSocket(url(), offered);
    await once(socket, "open");
    expect(socket.protocol).toBe(spoken);
    socket.terminate();
  });

  test("packets may span messages and share them; a text ends the connection", async () => {
    const socket = new WebSocket(url(), "mqtt");
    const got: Buffer[] = [];
    socket.on("message", (data: Buffer) => void got.push(data));
    await once(socket, "open");
    const bytes = Buffer.concat([generate(hello(4)), generate({ cmd: "pingreq" }), generate({ cmd: "pingreq" })]);
    for (const part of [bytes.subarray(0, 5), bytes.subarray(5, bytes.length - 3), bytes.subarray(bytes.length - 3)]) socket.send(part);
    while (got.length < 3) await once(socket, "message");
    expect(got.map(([first]) => first)).toEqual([0x20, 0xd0, 0xd0]);
    socket.send(generate({ cmd: "pingreq" }).toString("latin1"));
    const [code] = await once(socket, "close");
    expect([code, got.length]).toEqual([1003, 3]);
  });

  test("a message that is too large ends the connection", async () => {
    const socket = new WebSocket(url(), "mqtt");
    await once(socket, "open");
    socket.send(Buffer.alloc(300_000));
    const [code] = await once(socket, "close");
    expect(code).toBe(1009);
  });
});

test("random bytes harm nobody", async () => {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const all = Array.from({ length: 150 }, async () => {
    const client = await raw(broker, random() < 0.5 ? 4 : 5);
    const type = Math.floor(random() * 16) * 16 + (random() < 0.5 ? 2 : Math.floor(random() * 16));
    const length = Math.floor(random() * 40);
    client.send([type, length, ...Array.from({ length }, () => (random() < 0.4 ? Math.floor(random() * 4) : Math.floor(random() * 256)))]);
    await sleep(20);
    client.socket.destroy();
    await client.closed;
  });
  await Promise.all(all);
  expect(broker.log.filter((line) => line.includes("unexpected"))).toEqual([]);
  const here = await broker.connect();
  await here.mqtt.subscribeAsync("alive");
  await here.mqtt.publishAsync("alive", "x", { qos: 2 });
  await here.has(1);
});
