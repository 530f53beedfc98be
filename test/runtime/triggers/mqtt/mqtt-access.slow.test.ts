import { setTimeout as sleep } from "node:timers/promises";
import type { IClientOptions } from "mqtt";
import { afterEach, describe, expect, test } from "vitest";
import { send } from "../../../harness/sockets.ts";
import { forgedToken } from "../../keys/token-text.ts";
import { type Broker, brokerOf, type Client, devices, endAll, seen } from "./mqtt-serving.ts";

// Rights on MQTT (spec/surfaces 4 and 10): who may connect, and what a client may publish and subscribe to.

afterEach(endAll);

const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3_600;

describe("who may connect", () => {
  const refused = async (broker: Broker, options: IClientOptions): Promise<unknown> => {
    const codes = [];
    for (const protocolVersion of [4, 5] as const)
      codes.push(await broker.connect({ protocolVersion, ...options }).then(() => "let in", codeOf));
    return codes;
  };
  const codeOf = (error: { readonly code?: number }): unknown => error.code;
  const nothing = { username: undefined, password: undefined } as unknown as IClientOptions;

  test("a forged token will do where nothing verifies it: a process says so at its start", async () => {
    const warning = "warn mqtt: clients need a token, and nothing verifies it, so that a forged one will do";
    const isWarned = async (text: string): Promise<boolean> => (await brokerOf(text)).log.some((line) => line.startsWith(warning));
    const test = 'assert: { tests: [{ value: "a|headers::airpipe-jwt|", is_valid_jwt: a|var::SECRET| }] }';
    const one = (keys: string): string => `name: one\ninterfaces: { a: { mqtt: b, ${keys}actions: [{ name: A, input: a|body| }] } }`;
    expect(await isWarned(one(""))).toBe(true);
    expect(await isWarned(one("public: true, "))).toBe(false);
    expect(await isWarned(one(`${test}, `))).toBe(false);
  });

  test("nobody with a wrong password, and nobody without one where nothing is public", async () => {
    const broker = await brokerOf(devices.replace("public: true", "public: false"));
    expect(await refused(broker, { password: "wrong" })).toEqual([4, 0x86]);
    expect(await refused(broker, { username: "other" })).toEqual([4, 0x86]);
    expect(await refused(broker, { password: forgedToken({ exp: 1 }) })).toEqual([4, 0x86]);
    expect(await refused(broker, { ...nothing, username: "other" })).toEqual([4, 0x86]);
    expect(await refused(broker, { ...nothing, username: "acme" })).toEqual([5, 0x87]);
    expect(await refused(broker, nothing)).toEqual([5, 0x87]);
  });

  test("without keys no key is right", async () => {
    expect(await refused(await brokerOf(devices, { PIPEWRIGHT_API_KEYS: "" }), {})).toEqual([4, 0x86]);
  });

  test("no more clients than there may be", async () => {
    const broker = await brokerOf(devices, { PIPEWRIGHT_MQTT_MAX_CONNECTIONS: "1" });
    const one = await broker.connect();
    expect(await refused(broker, {})).toEqual([3, 0x89]);
    await one.mqtt.endAsync();
    await broker.connect();
  });

  test("nobody at all where MQTT is off", async () => {
    const { served } = await brokerOf(devices, { PIPEWRIGHT_MQTT_MAX_CONNECTIONS: "0", PIPEWRIGHT_MQTT_BIND: "off" });
    expect((await send(served.url, "/mqtt")).status).toBe(404);
  });

  test("whoever shows nothing only sees and writes what is public", async () => {
    const broker = await brokerOf(devices);
    const [key, anonymous] = [await broker.connect(), await broker.connect({ ...nothing, protocolVersion: 5 })];
    await key.mqtt.subscribeAsync(["production/#", "seen/#"]);
    const granted = async (filter: string): Promise<string> =>
      anonymous.mqtt.subscribeAsync(filter).then(
        () => "granted",
        () => "refused",
      );
    expect(await Promise.all(["production/board/news", "production/board/+", "production/board/#"].map(granted))).toEqual(
      Array(3).fill("granted"),
    );
    const others = [
      "production/board/other",
      "production/telemetry/reading",
      "production/+/news",
      "#",
      "seen/board",
      "$share/g/production/board/news",
    ];
    expect(await Promise.all(others.map(granted))).toEqual(others.map(() => "refused"));
    await anonymous.mqtt.publishAsync("production/board/news", "hello", { qos: 1 });
    await key.has(2);
    expect(key.got).toEqual(["production/board/news hello 0 false", "seen/board hello 0 false"]);
    for (const qos of [1, 2] as const)
      await expect(anonymous.mqtt.publishAsync("production/telemetry/reading", "x", { qos })).rejects.toMatchObject({ code: 0x87 });
    await anonymous.mqtt.publishAsync("production/telemetry/reading", "x", { qos: 0 });
    // One of version 3.1.1 is cut off, since it could not be told.
    const old = await broker.connect({ ...nothing, protocolVersion: 4 }, "tcp");
    old.mqtt.publish("production/telemetry/reading", "x");
    await old.closed;
    expect(key.got).toHaveLength(2);
  });

  test("a wildcard below a public interface does not reach into another that is named below it", async () => {
    const inner = "  board/staff:\n    mqtt: news\n    actions: []\n";
    const broker = await brokerOf(`${devices}${inner}`);
    const anonymous = await broker.connect({ ...nothing, protocolVersion: 4 });
    const granted = (filter: string) =>
      anonymous.mqtt.subscribeAsync(filter).then(
        () => "granted",
        () => "refused",
      );
    const filters = [
      "production/board/news",
      "production/board/+",
      "production/board/#",
      "production/board/+/news",
      "production/board/staff/#",
    ];
    expect(await Promise.all(filters.map(granted))).toEqual(["granted", "granted", "refused", "refused", "refused"]);
  });

  test("a user's token is in the headers of the runs; what it publishes reaches nobody, since nobody has verified it", async () => {
    const broker = await brokerOf(devices);
    const jwt = forgedToken({ sub: "u1", exp: inAnHour() });
    const [key, user] = [await broker.connect(), await broker.connect({ username: "u1", password: jwt, protocolVersion: 5 })];
    await key.mqtt.subscribeAsync("production/telemetry/+");
    await user.mqtt.publishAsync("production/telemetry/reading", "{}", { qos: 1, retain: true });
    const [told] = await seen(key);
    expect(told).toMatchObject({ jwt, body: {} });
    expect(key.got[0]).toMatch(/^production\/telemetry\/seen /);
    await expect(user.mqtt.publishAsync("any/topic", "x", { qos: 1 })).rejects.toMatchObject({ code: 0x87 });
    await expect(user.mqtt.subscribeAsync("any/topic")).rejects.toThrow();
    await user.mqtt.publishAsync("production/board/news", "x", { qos: 1 });
  });

  test("a connection ends with its token", async () => {
    const broker = await brokerOf(devices);
    const user = await broker.connect({ password: forgedToken({ exp: Math.floor(Date.now() / 1000) + 4 }), protocolVersion: 5 });
    const reason = new Promise((resolve) => user.mqtt.once("disconnect", ({ reasonCode }) => resolve(reasonCode)));
    expect(await reason).toBe(0x87);
    await user.closed;
  });

  test.each([3, 4, 5] as const)(
    "what is published to a topic of the broker itself is acknowledged, and reaches nobody: version %i",
    async (version) => {
      const broker = await brokerOf(devices);
      const here = await broker.connect({ protocolVersion: version, ...(version === 3 ? { protocolId: "MQIsdp" } : {}) });
      await here.mqtt.subscribeAsync(["$SYS/#", "$x/a", "plain"]);
      for (const topic of ["$SYS/uptime", "$x/a", "$share/g/plain", "$"]) {
        await here.mqtt.publishAsync(topic, "x", { qos: 0, retain: true });
        await here.mqtt.publishAsync(topic, "x", { qos: 1 });
        await here.mqtt.publishAsync(topic, "x", { qos: 2 });
      }
      await here.mqtt.publishAsync("plain", "y", { qos: 1 });
      await here.has(1);
      expect(here.got).toEqual(["plain y 0 false"]);
      const late = await broker.connect();
      await late.mqtt.subscribeAsync(["$SYS/#", "$x/a", "plain"]);
      await here.mqtt.publishAsync("plain", "z", { qos: 1 });
      await late.has(1);
      expect(late.got).toEqual(["plain z 0 false"]);
    },
  );

  test("what a client means for another environment is refused; an action may publish there, and runs nothing", async () => {
    const tell = "- { name: Tell, mqtt_publish: { topics: staging/telemetry/reading, data: told } }";
    const broker = await brokerOf(`${devices}  teller:\n    mqtt: in\n    actions:\n      ${tell}\n`);
    const here = await broker.connect({ protocolVersion: 5 });
    await expect(here.mqtt.publishAsync("staging/telemetry/reading", "x", { qos: 1 })).rejects.toMatchObject({ code: 0x87 });
    await here.mqtt.subscribeAsync(["staging/#", "test/#", "production/telemetry/seen"]);
    await here.mqtt.publishAsync("production/teller/in", "x", { qos: 1 });
    await here.has(1);
    await here.mqtt.publishAsync("test/x", "y", { qos: 1 });
    await here.has(2);
    expect(here.got).toEqual(["staging/telemetry/reading told 0 false", "test/x y 0 false"]);
  });

  test("a session belongs to who has made it: the same name with another credential is another client", async () => {
    const broker = await brokerOf(devices);
    const owner = await broker.connect({ clientId: "one", clean: false, protocolVersion: 4 });
    await owner.mqtt.subscribeAsync("secret", { qos: 1 });
    await owner.mqtt.endAsync();
    const thief = await broker.connect({ ...nothing, clientId: "one", clean: false, protocolVersion: 4 });
    expect(thief.connack.sessionPresent).toBe(false);
    const sender = await broker.connect();
    await sender.mqtt.publishAsync("secret", "x", { qos: 1 });
    await sleep(30);
    expect(thief.got).toEqual([]);
    const back = await broker.connect({ clientId: "one", clean: false, protocolVersion: 4 });
    await back.has(1);
  });

  test("a will must be for a topic that its client may publish to", async () => {
    const broker = await brokerOf(devices);
    const will = (topic: string) => ({ will: { topic, payload: Buffer.from("x"), qos: 0 as const, retain: false } });
    expect(await refused(broker, { ...nothing, ...will("any/topic") })).toEqual([5, 0x87]);
    expect(await refused(broker, { ...will("staging/x") })).toEqual([5, 0x87]);
    expect(await refused(broker, { ...will("a/+") })).toEqual([5, 0x90]);
  });
});

describe("a subscribe_authorizer", () => {
  const guarded = `
name: commands
interfaces:
  commands:
    mqtt: set
    subscribe_authorizer: decide
    actions: [{ name: A, input: a|body| }]
  decide:
    actions:
      - name: Check
        input: a|body|
        assert:
          http_code_on_error: 403
          tests:
            - { value: channel, is_equal_to: production/commands/set }
            - { value: op, is_equal_to: subscribe }
  users:
    mqtt: set
    subscribe_authorizer: by-token
    actions: [{ name: A, input: a|body| }]
  by-token:
    actions:
      - { name: Check, input: "a|headers::airpipe-jwt|", assert: { tests: [{ value: ., contains: "." }] } }
  slow:
    mqtt: set
    subscribe_authorizer: breaks
    actions: [{ name: A, input: a|body| }]
  breaks:
    actions: [{ name: A, http: { url: "http://127.0.0.1:1/" } }]
  early:
    mqtt: set
    subscribe_authorizer: at-once
    actions: [{ name: A, input: a|body| }]
  at-once:
    respond: early
    actions: [{ name: A, input: a|body|, assert: { http_code_on_error: 403, tests: [{ value: channel, ends_with: /set }] } }]
`;
  const grants = (client: Client, filters: readonly string[]) =>
    Promise.all(
      filters.map((filter) =>
        client.mqtt.subscribeAsync(filter).then(
          () => "granted",
          () => "refused",
        ),
      ),
    );

  test("decides about every filter that may match a topic below the name of its interface", async () => {
    const broker = await brokerOf(guarded);
    for (const protocolVersion of [4, 5] as const) {
      const here = await broker.connect({ protocolVersion });
      const filters = [
        "production/commands/set",
        "elsewhere/#",
        "production/commands/other",
        "production/commands/#",
        "production/#",
        "+/commands/set",
        "#",
      ];
      expect(await grants(here, filters)).toEqual(["granted", "granted", "refused", "refused", "refused", "refused", "refused"]);
    }
  });

  test("that fails allows nothing; of one that answers early its outcome counts, as with sockets and tools", async () => {
    const here = await (await brokerOf(guarded)).connect();
    const filters = ["production/slow/set", "production/early/set", "production/early/other"];
    expect(await grants(here, filters)).toEqual(["refused", "granted", "refused"]);
  });

  test("lets a user in by the token; several of them must all agree", async () => {
    const user = await (await brokerOf(guarded)).connect({ username: "u", password: forgedToken({ sub: "u" }) });
    expect(await grants(user, ["production/users/set", "production/commands/set", "production/+/set", "free"])).toEqual([
      "granted",
      "granted",
      "refused",
      "refused",
    ]);
  });

  test("leaves the answer to other packets waiting, in their order, and no other client", async () => {
    const broker = await brokerOf(guarded);
    const here = await broker.connect({ protocolVersion: 5 });
    const [granted] = await Promise.all([
      here.mqtt.subscribeAsync(Array.from({ length: 40 }, (_, i) => (i === 39 ? "production/commands/set" : `free/${i}`))),
      here.mqtt.publishAsync("production/commands/set", "x", { qos: 1 }),
    ]);
    expect(granted).toHaveLength(40);
    await here.has(1);
  });
});
