import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { server } from "../../../harness/peers/postgres-server.ts";
import { until } from "../../../harness/until.ts";
import { type PostgresService, postgres } from "../../bus/buses.ts";
import type { Running } from "../../bus/services.ts";
import { durable, type FarClient, farProcesses, numbers, devices as text } from "./mqtt-processes.ts";

// MQTT of nodes that share PostgreSQL, with and without workers (spec/surfaces 4 and 17).

const { start, connect, endAll } = farProcesses();
afterAll(endAll);

/** Resolves when all that was sent so far has come everywhere. */
async function settled(sender: FarClient, clients: readonly FarClient[]): Promise<void> {
  await sender.mqtt.publishAsync("mark", "x", { qos: 1 });
  for (const { got } of clients) await until(() => expect(got).toContain("mark x"));
}

describe.skipIf(server === undefined)("nodes that share PostgreSQL", () => {
  let database: PostgresService;
  beforeEach(async () => {
    database = await postgres();
  });
  afterEach(() => database.close());

  const node = (flags: readonly string[] = [], config = text): Promise<Running> =>
    start(config, { PIPEWRIGHT_DATABASE_URL: database.address, PIPEWRIGHT_CLUSTERED: "true" }, flags);

  test("a message reaches subscribers of all nodes and workers once, in one order, and runs its interface once", async () => {
    const nodes = [await node(), await node(["--workers", "2"])];
    const clients: FarClient[] = [];
    for (let n = 0; n < 6; n++) {
      const client = await connect(nodes[n % 2] as Running, { protocolVersion: n % 3 === 0 ? 4 : 5 });
      await client.mqtt.subscribeAsync(["t/#", "t/+", "ran", "mark"], { qos: ([0, 1, 2] as const)[n % 3] ?? 0 });
      clients.push(client);
    }
    const [sender, other] = clients as [FarClient, FarClient];
    await Promise.all(numbers(60).map((n) => (Number(n) % 2 === 0 ? sender : other).mqtt.publishAsync("t/x", n, { qos: 2 })));
    await sender.mqtt.publishAsync("production/telemetry/reading", '"hello"', { qos: 1 });
    for (const client of clients) await until(() => expect(client.got).toContain("ran hello"));
    await settled(sender, clients);
    for (const client of clients) {
      const of = (topic: string): readonly string[] => client.got.filter((line) => line.startsWith(topic));
      expect(of("t/x").toSorted()).toEqual(
        numbers(60)
          .map((n) => `t/x ${n}`)
          .toSorted(),
      );
      expect(of("ran")).toEqual(["ran hello"]);
      expect(of("t/x")).toEqual(clients[0]?.got.filter((line) => line.startsWith("t/x")));
    }
  });

  test("a retained message is given at any node, outlives all nodes, and is cleared everywhere", async () => {
    const [first, second] = [await node(), await node()];
    const sender = await connect(first);
    await sender.mqtt.publishAsync("r/kept", "1", { qos: 1, retain: true });
    await sender.mqtt.publishAsync("r/gone", "1", { qos: 1, retain: true });
    const there = await connect(second);
    await there.mqtt.publishAsync("r/gone", "", { qos: 1, retain: true });
    await settled(there, []);
    await first.kill();
    await second.kill();
    const reader = await connect(await node());
    await reader.mqtt.subscribeAsync(["r/#", "mark"], { qos: 1 });
    await settled(reader, [reader]);
    expect(reader.got).toEqual(["r/kept 1", "mark x"]);
  });

  test.each([4, 5] as const)("a client of version %i that connects to another node takes its session along", async (version) => {
    const [first, second] = [await node(), await node()];
    const before = await connect(first, durable("mover", version));
    expect(before.connack.sessionPresent).toBe(false);
    await before.mqtt.subscribeAsync("t/#", { qos: 2 });
    const sender = await connect(second);
    await sender.mqtt.publishAsync("t/0", "0", { qos: 2 });
    await before.has(1);
    const after = await connect(second, durable("mover", version));
    await until(() => expect(before.isClosed()).toBe(true));
    expect(before.told).toEqual(version === 5 ? [0x8e] : []);
    expect(after.connack.sessionPresent).toBe(true);
    await sender.mqtt.publishAsync("t/1", "1", { qos: 2 });
    await after.has(1);
    after.mqtt.end(true);
    // Absent: a message waits at the node that it has left, and goes where it comes back.
    for (const n of ["2", "3", "4"]) await sender.mqtt.publishAsync("t/n", n, { qos: 2 });
    const back = await connect(first, durable("mover", version));
    expect(back.connack.sessionPresent).toBe(true);
    await back.has(3);
    expect([after.got, back.got]).toEqual([["t/1 1"], ["t/n 2", "t/n 3", "t/n 4"]]);
  });

  test("a node that is killed: another one publishes its wills, once, and has its sessions", async () => {
    const [first, second, third] = [await node(), await node(), await node()];
    const watcher = await connect(first);
    await watcher.mqtt.subscribeAsync(["will/#", "mark"], { qos: 1 });
    const absent = await connect(third, durable("absent", 5));
    await absent.mqtt.subscribeAsync("t", { qos: 1 });
    absent.mqtt.end(true);
    await connect(third, { clientId: "one", will: { topic: "will/one", payload: Buffer.from("gone"), qos: 1, retain: false } });
    const here = await connect(third, {
      ...durable("two", 5),
      will: { topic: "will/two", payload: Buffer.from("gone"), qos: 1, retain: false, properties: { willDelayInterval: 600 } },
    });
    await here.mqtt.subscribeAsync("t", { qos: 2 });
    await third.kill();
    await watcher.has(1);
    const sender = await connect(second);
    await sender.mqtt.publishAsync("t", "kept", { qos: 2 });
    await settled(sender, [watcher]);
    expect(watcher.got).toEqual(["will/one gone", "mark x"]);
    for (const [n, name] of (["absent", "two"] as const).entries()) {
      const back = await connect([first, second][n] as Running, durable(name, 5));
      expect(back.connack.sessionPresent).toBe(true);
      await back.has(1);
      expect(back.got).toEqual(["t kept"]);
    }
  });

  test("a shared subscription has one member over all nodes and workers; what a killed node's member had goes on", async () => {
    const nodes = [await node(), await node(["--workers", "2"])];
    const members: FarClient[] = [];
    for (let n = 0; n < 4; n++) {
      const member = await connect(nodes[n % 2] as Running, durable(`m${n}`, n < 2 ? 4 : 5));
      await member.mqtt.subscribeAsync(n < 3 ? "$share/g/t/#" : "t/#", { qos: 2 });
      members.push(member);
    }
    const [sender, whole] = [await connect(nodes[0] as Running), members[3] as FarClient];
    await Promise.all(numbers(40).map((n) => sender.mqtt.publishAsync("t/x", n, { qos: 2 })));
    await whole.has(40);
    const shared = members.slice(0, 3);
    await until(() =>
      expect(shared.flatMap(({ got }) => got).toSorted()).toEqual(
        numbers(40)
          .map((n) => `t/x ${n}`)
          .toSorted(),
      ),
    );
    for (const { got } of shared) expect(got.length).toBeGreaterThan(0);
    await nodes[1]?.kill();
    const left = [members[0], members[2]] as const;
    for (const n of numbers(20)) await sender.mqtt.publishAsync("t/y", n, { qos: 1 });
    const back = await connect(nodes[0] as Running, durable("m1", 4));
    await until(() => {
      const got = [...left, back].flatMap((member) => member?.got ?? []).filter((line) => line.startsWith("t/y"));
      expect(new Set(got).size).toBe(20);
    });
  });

  test.each(["lives", "has ended"])("a session from another node, which %s: what its client may hear is decided anew", async (state) => {
    const guarded = (answer: string): string => `name: devices
interfaces:
  commands:
    mqtt: set
    subscribe_authorizer: decide
    actions: [{ name: A, input: a|body| }]
  decide:
    actions: [{ name: Check, input: a|body|, assert: { http_code_on_error: 403, tests: [{ value: op, is_equal_to: ${answer} }] } }]
`;
    const [open, closed] = [await node([], guarded("subscribe")), await node([], guarded("nothing"))];
    const client = await connect(open, durable("watcher", 5));
    await client.mqtt.subscribeAsync(["production/commands/set", "other"], { qos: 1 });
    client.mqtt.end(true);
    const sender = await connect(closed);
    for (const topic of ["production/commands/set", "other", "production/commands/set", "other"])
      await sender.mqtt.publishAsync(topic, "x", { qos: 1 });
    if (state === "has ended") {
      expect(await open.end()).toBe(0);
      await sender.mqtt.publishAsync("elsewhere", "x", { qos: 1 });
    }
    const back = await connect(closed, durable("watcher", 5));
    expect(back.connack.sessionPresent).toBe(true);
    await sender.mqtt.publishAsync("production/commands/set", "x", { qos: 1 });
    await sender.mqtt.publishAsync("other", "last", { qos: 1 });
    await back.has(3);
    expect(back.got).toEqual(["other x", "other x", "other last"]);
  });

  test("what was acknowledged does not come again, wherever the session goes and whatever is killed", async () => {
    const [first, second] = [await node(), await node()];
    let client = await connect(first, durable("mover", 5));
    await client.mqtt.subscribeAsync("t", { qos: 2 });
    const sender = await connect(second);
    const got: string[] = [];
    for (const n of numbers(5)) {
      client.mqtt.end(true);
      await sender.mqtt.publishAsync("t", n, { qos: 2 });
      client = await connect(Number(n) % 2 === 0 ? second : first, durable("mover", 5));
      await client.has(1);
      // The exchange is over when the next message has come, too.
      await sender.mqtt.publishAsync("t", `${n}b`, { qos: 2 });
      await client.has(2);
      got.push(...client.got);
      await client.mqtt.endAsync();
    }
    expect(got).toEqual(numbers(5).flatMap((n) => [`t ${n}`, `t ${n}b`]));
    await first.kill();
    const back = await connect(second, durable("mover", 5));
    await sender.mqtt.publishAsync("t", "end", { qos: 2 });
    await until(() => expect(back.got).toEqual(["t end"]));
  });

  test("sessions outlive all nodes, killed or ended, with what waits", async () => {
    const first = await node();
    for (const version of [4, 5] as const) {
      const client = await connect(first, durable(`v${version}`, version));
      await client.mqtt.subscribeAsync("t", { qos: 2 });
      client.mqtt.end(true);
    }
    const sender = await connect(first);
    for (const n of numbers(20)) await sender.mqtt.publishAsync("t", n, { qos: 2 });
    await first.kill();
    const second = await node();
    const back = await connect(second, durable("v4", 4));
    expect(back.connack.sessionPresent).toBe(true);
    await back.has(20);
    expect(await second.end()).toBe(0);
    const third = await node();
    const other = await connect(third, durable("v5", 5));
    expect(other.connack.sessionPresent).toBe(true);
    await other.has(20);
    expect([back.got, other.got]).toEqual([numbers(20).map((n) => `t ${n}`), numbers(20).map((n) => `t ${n}`)]);
  });

  test("without the database clients of a node hear each other, nothing is acknowledged that others could miss; then all goes on", async () => {
    const [first, second] = [await node(), await node()];
    const [here, near] = [await connect(first, { protocolVersion: 5 }), await connect(first, { protocolVersion: 4 })];
    const there = await connect(second);
    for (const client of [near, there]) await client.mqtt.subscribeAsync("#", { qos: 1 });
    database.cut(true);
    await until(() => expect(first.lines().some(({ msg }) => String(msg).includes("reach only the clients of this node"))).toBe(true));
    let isAcknowledged = false;
    const acknowledged = here.mqtt.publishAsync("t", "1", { qos: 1 }).then(() => {
      isAcknowledged = true;
    });
    await here.mqtt.publishAsync("t", "0", { qos: 0 });
    await near.has(2);
    expect([near.got, isAcknowledged, there.got]).toEqual([["t 1", "t 0"], false, []]);
    database.back();
    await acknowledged;
    await there.has(2);
    expect([near.got, there.got]).toEqual([
      ["t 1", "t 0"],
      ["t 1", "t 0"],
    ]);
    for (const client of [here, near, there]) expect(client.isClosed()).toBe(false);
  });
});
