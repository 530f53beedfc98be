import { setTimeout as sleep } from "node:timers/promises";
import mqtt from "mqtt";
import { afterEach, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { mqttBroker } from "#runtime/triggers/mqtt.ts";
import type { Json } from "#runtime/value/json.ts";
import { compiled } from "../../../harness/captured.ts";
import { freePort } from "../../../harness/peers/free-port.ts";
import { send } from "../../../harness/sockets.ts";
import { until } from "../../../harness/until.ts";
import { brokerOf, devices, endAll, key, seen } from "./mqtt-serving.ts";

// The use of MQTT by a configuration (spec/surfaces 4 and 15): what messages run, and what actions publish.

afterEach(endAll);

describe.each([["printed", false] as const, ["interpreted", true] as const])("%s", (_, interpret) => {
  test("a message to the topic of an interface is delivered and runs it, in the order of the messages", async () => {
    const { connect } = await brokerOf(devices, {}, interpret);
    const [here, sender] = [await connect(), await connect({}, "tcp")];
    await here.mqtt.subscribeAsync(["production/telemetry/seen", "production/rooms/door/#", "seen/#"]);
    for (const i of [1, 2, 3, 4]) await sender.mqtt.publishAsync("production/telemetry/reading", JSON.stringify({ i }), { qos: 1 });
    const told = await seen(here, 4);
    expect(told).toEqual(
      [1, 2, 3, 4].map((i) => ({
        body: { i },
        params: { topic: "production/telemetry/reading", qos: "1", retain: "false", dup: "false" },
        raw: `{"i":${i}}`,
        jwt: null,
        trigger: "mqtt",
        path: null,
        ip: "127.0.0.1",
      })),
    );
    await sender.mqtt.publishAsync("production/rooms/door/state/changed", "open", { qos: 2 });
    await here.has(6);
    expect(here.got.slice(4)).toEqual(["production/rooms/door/state/changed open 0 false", "seen/door open 0 false"]);
  });

  test("an action publishes with QoS and retain, to several topics, by default the body", async () => {
    const text = `
name: shop
interfaces:
  orders:
    method: POST
    actions:
      - { name: Each, mqtt_publish: { topics: a|body::topics|, data: a|body::data|, qos: 2, retain: a|body::keep| } }
      - { name: Body, mqtt_publish: { topics: shop/body } }
      - { name: Text, mqtt_publish: { topics: ["shop/text"], data: hi } }
`;
    const { connect, served } = await brokerOf(text, {}, interpret);
    const here = await connect();
    await here.mqtt.subscribeAsync("shop/#", { qos: 2 });
    const body = { topics: ["shop/a", "shop/b"], data: { n: [1, null] }, keep: "true" };
    const answer = await send(served.url, "/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(JSON.parse(answer.text).data).toMatchObject({
      Each: { data: { published: ["shop/a", "shop/b"] } },
      Body: { data: { published: ["shop/body"] } },
      Text: { data: { published: ["shop/text"] } },
    });
    await here.has(4);
    expect(here.got.toSorted()).toEqual([
      'shop/a {"n":[1,null]} 2 false',
      'shop/b {"n":[1,null]} 2 false',
      `shop/body ${JSON.stringify(body)} 0 false`,
      "shop/text hi 0 false",
    ]);
    const late = await connect({}, "tcp");
    await late.mqtt.subscribeAsync("shop/+");
    await late.has(2);
    expect(late.got.toSorted()).toEqual(['shop/a {"n":[1,null]} 0 true', 'shop/b {"n":[1,null]} 0 true']);
  });

  test.each([
    ["a/+/b", /a wildcard is no topic to publish to: 'a\/\+\/b'/],
    [["a", "b/#"], /a wildcard/],
    ["$SYS/x", /a topic of the broker itself/],
    [null, /field topics: expected a topic, got null/],
    ["", /got an empty text/],
    [[], /got an empty array/],
    [{ a: 1 }, /got object/],
  ])("an action does not publish to %j", async (topics, problem) => {
    const text = `
name: shop
interfaces:
  orders:
    method: POST
    show_error_detail: true
    actions:
      - { name: Each, mqtt_publish: { topics: a|body::topics| } }
`;
    const { served } = await brokerOf(text, { PIPEWRIGHT_MQTT_BIND: "off" }, interpret);
    const answer = await send(served.url, "/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ topics }),
    });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text).data.Each.error).toMatch(problem);
  });
});

describe("runs", () => {
  test("a text is the body as it is, also one that is no UTF-8", async () => {
    const { connect } = await brokerOf(devices);
    const here = await connect();
    await here.mqtt.subscribeAsync("production/telemetry/seen");
    for (const payload of ["no json", "", "7", " null ", Buffer.from([0xff, 0x00])])
      await here.mqtt.publishAsync("production/telemetry/reading", payload, { qos: 1 });
    const told = await seen(here, 5);
    expect(told.map((each) => (each as { body: Json }).body)).toEqual(["no json", "", 7, null, "ÿ\u0000"]);
  });

  test("QoS 2 runs once, when the client has released the message; the query of the upgrade is in the parameters", async () => {
    const { served } = await brokerOf(devices);
    const { default: mqtt } = await import("mqtt");
    const here = await mqtt.connectAsync(`${served.url.replace("http", "ws")}/acme/production/mqtt?room=7&api_key=${key}`, {
      reconnectPeriod: 0,
    });
    const told: Json[] = [];
    here.on("message", (_, payload) => void told.push(JSON.parse(payload.toString())));
    await here.subscribeAsync("production/telemetry/seen");
    await here.publishAsync("production/telemetry/reading", "{}", { qos: 2, retain: true });
    await until(() => expect(told).not.toEqual([]));
    await sleep(30);
    await here.endAsync(true);
    expect(told).toMatchObject([{ params: { topic: "production/telemetry/reading", qos: "2", retain: "true", dup: "false", room: "7" } }]);
    expect(JSON.stringify(told)).not.toContain(key);
  });

  test("messages that cause each other end", async () => {
    const text = `
name: loops
interfaces:
  ping: { mqtt: in, actions: [{ name: On, mqtt_publish: { topics: production/pong/in, data: a|body| } }] }
  pong: { mqtt: in, actions: [{ name: On, mqtt_publish: { topics: production/ping/in, data: a|body| } }] }
`;
    const { connect, log } = await brokerOf(text);
    const here = await connect();
    await here.mqtt.subscribeAsync("production/+/in");
    await here.mqtt.publishAsync("production/ping/in", "x");
    await here.has(10);
    await sleep(50);
    // The first one, and nine that runs have published: the last of them runs nothing.
    expect(here.got).toHaveLength(10);
    expect(log.filter((line) => line.includes("runs have caused each other 9 times"))).toHaveLength(1);
  });

  test("more messages than may be run are delivered all the same; the log says it a few times", async () => {
    const text = `
name: busy
interfaces:
  work:
    mqtt: in
    actions: [{ name: Tell, state: { advance: { key: runs, value: "a|body|" } } }]
`;
    const { connect, log } = await brokerOf(text);
    const [here, sender] = [await connect({}, "tcp"), await connect({}, "tcp")];
    await here.mqtt.subscribeAsync("production/work/in");
    const last = Array.from({ length: 3_000 }, (_, i) => sender.mqtt.publishAsync("production/work/in", `${i}`)).at(-1);
    await last;
    await here.has(3_000);
    expect(here.got.at(-1)).toBe("production/work/in 2999 0 false");
    expect(log.filter((line) => line === "warn mqtt: too many messages: the interface is not run")).toHaveLength(10);
  });

  test("who is denied by the network policy runs nothing, but is heard", async () => {
    const text = `
name: closed
interfaces:
  telemetry:
    mqtt: reading
    network: { ip: { deny: [127.0.0.1] } }
    actions: [{ name: Tell, mqtt_publish: { topics: seen } }]
`;
    const { connect } = await brokerOf(text);
    const here = await connect();
    await here.mqtt.subscribeAsync(["seen", "production/#"]);
    await here.mqtt.publishAsync("production/telemetry/reading", "x", { qos: 1 });
    await here.has(1);
    await sleep(30);
    expect(here.got).toEqual(["production/telemetry/reading x 0 false"]);
  });

  test("a shutdown waits for what was accepted, and tells clients of version 5", async () => {
    const text = `
name: slow
interfaces:
  work:
    mqtt: in
    actions:
      - { name: Wait, delay: 100ms }
      - { name: Done, state: { set: { key: done, value: a|body| } } }
`;
    const { connect, served } = await brokerOf(text);
    const [here, sender] = [await connect({ protocolVersion: 5 }), await connect({ protocolVersion: 4 }, "tcp")];
    const told: unknown[] = [];
    here.mqtt.on("disconnect", ({ reasonCode }) => told.push(reasonCode));
    for (let i = 0; i < 3; i++) await sender.mqtt.publishAsync("production/work/in", `${i}`, { qos: 1 });
    const began = performance.now();
    const inTime = await served.close();
    await Promise.all([here.closed, sender.closed]);
    expect([inTime, told]).toEqual([true, [0x8b]]);
    expect(performance.now() - began).toBeGreaterThan(290);
  });
});

describe("a new version of the configuration", () => {
  const version = (marker: string): string => `
name: devices
interfaces:
  telemetry:
    mqtt: ${marker}
    actions: [{ name: Tell, mqtt_publish: { topics: "seen/${marker}", data: a|body| } }]
`;

  test("runs from now on; clients and their subscriptions stay", async () => {
    const { connect, served } = await brokerOf(version("old"));
    const here = await connect();
    await here.mqtt.subscribeAsync("seen/#");
    await here.mqtt.publishAsync("production/telemetry/old", "1", { qos: 1 });
    await here.has(1);
    expect(await served.replace([await compiled(version("new"))], undefined)).toEqual([]);
    await here.mqtt.publishAsync("production/telemetry/old", "2", { qos: 1 });
    await here.mqtt.publishAsync("production/telemetry/new", "3", { qos: 1 });
    await here.has(2);
    expect(here.got).toEqual(["seen/old 1 0 false", "seen/new 3 0 false"]);
  });

  test("without MQTT sends all clients away, and one with it takes them back", async () => {
    const { connect, served } = await brokerOf(version("old"), { PIPEWRIGHT_MQTT_BIND: `127.0.0.1:${await freePort()}` });
    const all = [await connect(), await connect({}, "tcp")];
    await served.replace([await compiled("name: devices\ninterfaces: { a: { method: GET, actions: [] } }\n")], undefined);
    await Promise.all(all.map(({ closed }) => closed));
    await expect(connect()).rejects.toThrow();
    await expect(connect({}, "tcp")).rejects.toThrow();
    expect(await served.replace([await compiled(version("new"))], undefined)).toEqual([]);
    await connect();
    await connect({}, "tcp");
  });

  test("a client that comes before anything is served is told to come later", async () => {
    const port = await freePort();
    const log: string[] = [];
    const host = createHost({ env: { PIPEWRIGHT_MQTT_BIND: `127.0.0.1:${port}` }, log: (level, msg) => void log.push(`${level} ${msg}`) });
    expect(await mqttBroker(host).missing([])).toEqual([]);
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, protocolVersion: 5 });
    const error = new Promise<unknown>((resolve) => client.once("error", resolve));
    expect(await error).toMatchObject({ code: 0x89 });
    await client.endAsync(true);
    await host.close();
    expect(log).toEqual([]);
  });

  test("what keeps MQTT from being served keeps the process from starting", async () => {
    const { tcpPort } = await brokerOf(version("old"));
    const start = (env: Readonly<Record<string, string>>) => brokerOf(version("old"), env);
    await expect(start({ PIPEWRIGHT_MQTT_BIND: `127.0.0.1:${tcpPort}` })).rejects.toThrow(
      /PIPEWRIGHT_MQTT_BIND: 127\.0\.0\.1:\d+ cannot be used: EADDRINUSE/,
    );
    await expect(start({ PIPEWRIGHT_MQTT_BIND: "1883" })).rejects.toThrow(/PIPEWRIGHT_MQTT_BIND must be off or ADDRESS:PORT/);
    await expect(start({ PIPEWRIGHT_MQTT_MAX_CONNECTIONS: "many" })).rejects.toThrow(
      /PIPEWRIGHT_MQTT_MAX_CONNECTIONS must be a whole number/,
    );
    await expect(start({ PIPEWRIGHT_CLUSTERED: "true" })).rejects.toThrow(/nodes share channels and MQTT by PostgreSQL alone/);
    await expect(start({ PIPEWRIGHT_WORKER: "1/2" })).rejects.toThrow(
      /--workers: sessions of MQTT are shared by a store: set PIPEWRIGHT_DATABASE_URL/,
    );
    await expect(start({ PIPEWRIGHT_WORKER: "1/2", PIPEWRIGHT_DATABASE_URL: "mysql://x" })).rejects.toThrow(
      /PIPEWRIGHT_DATABASE_URL and PIPEWRIGHT_STATE_DATABASE_URL are postgres/,
    );
  });
});
