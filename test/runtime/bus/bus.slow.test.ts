import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { goneOf } from "#runtime/bus/followers.ts";
import { LocalBus } from "#runtime/bus/local-bus.ts";
import { mostOfNotification } from "#runtime/bus/postgres-texts.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { until } from "../../harness/until.ts";
import { crew, message, type Node, postgres, type Service } from "./buses.ts";

// One order of all messages for all processes of a service (spec/surfaces 17).

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function opened<S extends Service>(service: S | Promise<S>): Promise<S> {
  const made = await service;
  open.push(made);
  return made;
}

const ways: readonly { readonly name: string; readonly make: () => Promise<Service> }[] = [
  { name: "workers", make: () => opened(crew()) },
  ...(server === undefined ? [] : [{ name: "nodes", make: () => opened(postgres()) }]),
];

/** However slow the machine is, no node goes on by itself. */
const patient = { alone: 600_000 };

const nodesOf = async (service: Service, count: number): Promise<readonly Node[]> => {
  const nodes: Node[] = [];
  for (let n = 0; n < count; n++) nodes.push(await service.node({ times: patient }));
  return nodes;
};

const hashOf = ({ heard }: Node): string =>
  createHash("sha256")
    .update(heard.map(({ source, number, body, position }) => `${position} ${source} ${number} ${body}`).join("\n"))
    .digest("hex");

/** Publishes as fast as the bus takes it; what is refused is sent again later. */
async function publishAll({ bus }: Node, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) while (!bus.publish(message(body))) await bus.settled();
}

describe("alone", () => {
  test("a message is heard before publish returns, and one that follows from it after it", () => {
    const bus = new LocalBus();
    const heard: string[] = [];
    bus.follow("t", {
      hear: ({ body }) => {
        heard.push(body);
        if (body === "1") bus.publish(message(2), () => heard.push("2 was heard"));
        heard.push(`end of ${body}`);
      },
      restore: () => undefined,
    });
    expect(bus.publish(message(1), () => heard.push("1 was heard"))).toBe(true);
    expect(heard).toEqual(["1", "end of 1", "1 was heard", "2", "end of 2", "2 was heard"]);
    expect(bus.settled()).toBeUndefined();
  });
});

describe.each(ways)("$name", ({ make }) => {
  test("every process hears a message once, its own as well", async () => {
    const nodes = await nodesOf(await make(), 3);
    nodes[0]?.bus.publish(message("a"));
    nodes[2]?.bus.publish(message("b"));
    for (const node of nodes) await until(() => expect(node.bodies().toSorted()).toEqual(['"a"', '"b"']));
    expect(new Set(nodes.map(hashOf)).size).toBe(1);
  });

  test("ten thousand messages of four publishers have one order everywhere", async () => {
    const nodes = await nodesOf(await make(), 4);
    await Promise.all(
      nodes.map((node, i) =>
        publishAll(
          node,
          Array.from({ length: 2_500 }, (_, n) => [i, n]),
        ),
      ),
    );
    for (const node of nodes) await until(() => expect(node.heard).toHaveLength(10_000));
    expect(new Set(nodes.slice(0, 3).map(hashOf)).size).toBe(1);
    for (const [i] of nodes.entries())
      expect(nodes[3]?.bodies().filter((body) => body.startsWith(`[${i},`))).toEqual(
        Array.from({ length: 2_500 }, (_, n) => JSON.stringify([i, n])),
      );
  });

  test("bodies of any size and any character arrive as they are", async () => {
    const [first, second] = await nodesOf(await make(), 2);
    const bodies = [
      "x".repeat(100 * 1024),
      ...Array.from({ length: 100 }, (_, i) => "y".repeat(mostOfNotification - 150 + i)),
      '\u0000\u0001"\\ {} , \ud800 \udfff',
      "ä€𝄞".repeat(2_500),
      "'; DROP TABLE pw_bus_log; --",
      "z".repeat(300_000),
      ["NULL", null, "", "{a,b}", { $presence: 1 }],
    ];
    await publishAll(first as Node, bodies);
    await until(() => expect(second?.heard).toHaveLength(bodies.length));
    expect(second?.bodies()).toEqual(bodies.map((body) => JSON.stringify(body)));
  });

  test("a process that comes later is given what is kept: the last message of a key, the last ones of a ring, what its owner keeps", async () => {
    const service = await make();
    const [first, second] = await nodesOf(service, 2);
    const keep = (body: unknown, how: object) => first?.bus.publish(message(body, { keep: [{ key: "k", ...how }] }));
    keep(1, {});
    keep(2, {});
    keep(3, { key: "gone" });
    keep(4, { key: "gone", drops: true });
    for (let n = 0; n < 5; n++) keep(`ring ${n}`, { key: "r", depth: 2 });
    keep("mine", { key: "o", owned: true });
    second?.bus.publish(message("other's", { keep: [{ key: "ö\u0000".repeat(3_000) }] }));
    await first?.bus.settled();
    await second?.bus.settled();
    const third = await service.node();
    const kept = third.restored().map(({ body, keep: { key, depth }, owner }) => [body, key.slice(0, 2), depth ?? 0, owner]);
    expect(kept.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual(
      [
        ["2", "k", 0, ""],
        ['"mine"', "o", 0, first?.bus.source],
        [`"other's"`, "ö\u0000", 0, ""],
        ['"ring 3"', "r", 2, expect.anything()],
        ['"ring 4"', "r", 2, expect.anything()],
      ].toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    );
    expect(third.heard).toEqual([]);
  });

  test("messages of both: writers of one key end with one value everywhere", async () => {
    const service = await make();
    const nodes = await nodesOf(service, 3);
    await Promise.all(
      nodes.map(async (node, i) => {
        for (let n = 0; n < 200; n++) node.bus.publish(message([i, n], { keep: [{ key: "k" }] }));
        await node.bus.settled();
      }),
    );
    for (const node of nodes) await until(() => expect(node.heard).toHaveLength(600));
    const last = new Set(nodes.map((node) => node.bodies().at(-1)));
    expect(last.size).toBe(1);
    expect((await service.node()).restored().map(({ body }) => body)).toEqual([...last]);
  });
});

test("a worker that ends is gone for the others, with an heir; what it has sent before comes before", async () => {
  const service = await opened(crew());
  const [first, second, third] = await nodesOf(service, 3);
  second?.bus.publish(message("last", { keep: [{ key: "k", owned: true }] }));
  await second?.bus.settled();
  service.end(second as Node);
  await until(() => expect(third?.gone).toEqual([{ source: second?.bus.source, heir: first?.bus.source }]));
  expect(third?.bodies()).toEqual(['"last"']);
  expect((await service.node()).restored()).toEqual([]);
});

test("a worker whose messages nobody takes is refused further ones", async () => {
  const service = await opened(crew());
  const { bus } = await service.node();
  let taken = 0;
  while (bus.publish(message("x".repeat(100_000)))) taken += 1;
  expect(taken).toBe(83);
  await bus.settled();
  expect(bus.publish(message("again"))).toBe(true);
});

test("an heir that is gone itself is replaced by the oldest process, everywhere", async () => {
  const service = crew();
  const nodes = [await service.node(), await service.node()];
  nodes[1]?.bus.publish(goneOf("somebody", "dead"));
  for (const { gone } of nodes) await until(() => expect(gone).toEqual([{ source: "somebody", heir: nodes[0]?.bus.source }]));
  await service.close();
});
