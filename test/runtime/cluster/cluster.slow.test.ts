import { afterEach, describe, expect, test } from "vitest";
import { Attendance } from "#runtime/cluster/node.ts";
import { openCluster } from "#runtime/cluster/open.ts";
import { attend, clusterPage } from "#runtime/cluster/page.ts";
import type { ClusterStore } from "#runtime/cluster/store.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { nodeName } from "#runtime/process/node-name.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { ownFolder } from "../../harness/captured.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { until } from "../../harness/until.ts";
import { type ConsoleService, consoleService, waits } from "../console/console-service.ts";
import { type DurablePlace, durable, hashOf, newRun, of } from "../store/run-stores.ts";

// The page of nodes: who serves, with which version, what nodes hold, and what waits for them.

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** A host of one more node, whose clock a test may set where the store has none of its own. */
function nodeAt(address: string, clock: { now: number }, more: Parameters<typeof createHost>[0] = {}): Host {
  const host = { ...createHost({ ...more, env: { PIPEWRIGHT_DATABASE_URL: address } }), now: () => clock.now };
  ended.push(() => host.close());
  return host;
}

describe.each(durable)("nodes in $name", ({ open }) => {
  async function place(): Promise<{ place: DurablePlace; clock: { now: number }; store: (host: Host) => ClusterStore }> {
    const opened = await open();
    ended.push(() => opened.close());
    const store = (host: Host): ClusterStore => {
      const cluster = openCluster(host);
      if (cluster === undefined) throw new Error("there is no place to share");
      ended.push(() => cluster.release());
      return cluster;
    };
    return { place: opened, clock: { now: 1_700_000_000_000 }, store };
  }

  test("each is there with its newest words, until they count no more or it leaves", async () => {
    const { place: shared, clock, store } = await place();
    const [one, other] = [store(nodeAt(shared.address, clock)), store(nodeAt(shared.address, clock))];
    await one.announce("a", { bundle: "old" }, 60_000);
    await one.announce("a", { bundle: "new" }, 60_000);
    await other.announce("b", { bundle: "new" }, 20_000);
    const told = async (): Promise<unknown> => (await one.look()).nodes.map(({ node, about }) => [node, about.bundle]);
    expect(await told()).toEqual([
      ["a", "new"],
      ["b", "new"],
    ]);
    clock.now += 30_000;
    await shared.pass(30_000);
    expect(await told()).toEqual([["a", "new"]]);
    await other.announce("b", { bundle: "newest" }, 20_000);
    await one.leave("a");
    expect(await told()).toEqual([["b", "newest"]]);
  });

  test("services of other organisations and environments are not among them", async () => {
    const { place: shared, clock, store } = await place();
    await store(nodeAt(shared.address, clock)).announce("ours", {}, 60_000);
    for (const more of [{ organisation: "other" }, { environment: "staging" }])
      expect((await store(nodeAt(shared.address, clock, more)).look()).nodes).toEqual([]);
  });

  test("runs are counted by state, by holder and by version; one whose lease is over is due", async () => {
    const { place: shared, clock, store } = await place();
    const cluster = store(nodeAt(shared.address, clock));
    const runs = shared.node();
    const now = await runs.now();
    expect((await cluster.look()).queue).toEqual({});
    await runs.create(newRun({ bundle: "b2" }));
    await runs.create(newRun({ wakeAt: now + 600_000 }));
    await runs.create(newRun({ lease: of("n1") }));
    await runs.create(newRun({ lease: { node: "n2", ms: 1_000 } }));
    const waiting = newRun({ lease: of("n1") });
    await runs.create(waiting);
    const wait = { path: "Approval", tokenHash: hashOf(7), until: now + 900_000 };
    expect(await runs.checkpoint({ id: waiting.id, epoch: 1 }, [], { wait, release: {} })).toBe("ok");
    const over = newRun({ lease: of("n1") });
    await runs.create(over);
    await runs.checkpoint({ id: over.id, epoch: 1 }, [], { finish: { status: "done", result: "null" } });
    clock.now += 5_000;
    await shared.pass(5_000);
    const { queue, held, bundles } = await cluster.look();
    const counts = Object.fromEntries(Object.entries(queue).map(([state, depth]) => [state, depth?.count]));
    expect(counts).toEqual({ due: 2, held: 1, sleeping: 1, waiting: 1 });
    expect([...held]).toEqual([["n1", 1]]);
    expect(new Map(bundles)).toEqual(
      new Map([
        ["b1", 4],
        ["b2", 1],
      ]),
    );
    expect(queue.due?.first).toBeLessThanOrEqual((await runs.now()) - 4_000);
  });

  test("sole rights are listed while somebody has them", async () => {
    const { place: shared, clock, store } = await place();
    const cluster = store(nodeAt(shared.address, clock));
    const coordination = shared.coordination();
    const epoch = await coordination.lease("schedule", "n1", 60_000);
    expect((await cluster.look()).leases).toMatchObject([{ name: "schedule", node: "n1" }]);
    await coordination.free("schedule", epoch ?? 0);
    expect((await cluster.look()).leases).toEqual([]);
  });

  test("runs are those beside the state, where it has a database of its own; all else is what the processes share", async () => {
    const [{ place: shared, clock, store }, { place: own }] = [await place(), await place()];
    const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: shared.address, PIPEWRIGHT_STATE_DATABASE_URL: own.address } });
    ended.push(() => host.close());
    await store(nodeAt(shared.address, clock)).announce("a", {}, 60_000);
    await shared.coordination().lease("schedule", "n1", 60_000);
    await own.node().create(newRun({ bundle: "b2" }));
    const { nodes, leases, bundles } = await store({ ...host, now: () => clock.now }).look();
    expect(nodes).toMatchObject([{ node: "a" }]);
    expect(leases).toMatchObject([{ name: "schedule" }]);
    expect([...bundles]).toEqual([["b2", 1]]);
  });

  test("a process that attends says so again and again, and takes it back at its end", async () => {
    const { place: shared, clock, store } = await place();
    const host = nodeAt(shared.address, clock);
    const mirror = store(nodeAt(shared.address, clock));
    const own = openCluster(host);
    if (own === undefined) throw new Error("there is no place to share");
    let configs: readonly [] = [];
    const attendance = new Attendance(host, () => configs, own, { beat: 5 });
    const told = async (): Promise<JsonObject | undefined> =>
      (await mirror.look()).nodes.find(({ node }) => node === nodeName(host))?.about;
    await until(async () => expect(await told()).toMatchObject({ pid: process.pid, version: "0.1.0" }));
    await mirror.leave(nodeName(host));
    configs = [];
    await until(async () => expect(await told()).toBeDefined());
    await attendance.close();
    expect(await told()).toBeUndefined();
  });
});

describe("the page", () => {
  test("one process without a store is alone, and says so", async () => {
    const host = createHost({ env: {} });
    ended.push(() => host.close());
    attend(host, () => []);
    const page = await clusterPage({ host, configs: [] });
    expect(page).toMatchObject({ store: "memory", clustered: false, queue: null, leases: [], bundles: [] });
    expect(page.nodes).toMatchObject([{ node: nodeName(host), pid: process.pid }]);
    // The first of several processes serves nothing.
    expect((await clusterPage({ host, configs: [], isFirst: true })).nodes).toEqual([]);
  });

  const chat = `
name: Chat
interfaces:
  talk:
    ws: talk
    actions: [{ name: Say, ws_publish: { channels: ["room:1"], data: a|body| } }]
`;

  test.skipIf(server === undefined)("two nodes of a service see each other, the lag of their bus, and a run that waits", async () => {
    const postgres = durable.find(({ name }) => name === "postgres");
    const shared = await postgres?.open();
    ended.push(() => shared?.close());
    const folder = ownFolder();
    ended.push(folder.remove);
    const env = { ...folder.env, PIPEWRIGHT_DATABASE_URL: shared?.address ?? "", PIPEWRIGHT_CLUSTERED: "true" };
    const start = async (): Promise<ConsoleService> => {
      const one = await consoleService(env, waits.replace("method: POST", "durable: true\n    method: POST"), chat);
      ended.push(() => one.served.close());
      return one;
    };
    const [one, other] = [await start(), await start()];
    const nodes = async (of: ConsoleService): Promise<readonly JsonObject[]> => (await of.told("/api/v1/cluster")).nodes as JsonObject[];
    for (const each of [one, other])
      await until(async () => {
        const told = await nodes(each);
        expect(told.map(({ node }) => node).sort()).toEqual([nodeName(one.served.host), nodeName(other.served.host)].sort());
        for (const { bus } of told) expect(bus).toMatchObject({ connected: true, lost: 0, lag_ms: expect.any(Number) });
      });
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: '{"token":"a-token-of-its-caller-0001"}' };
    expect((await fetch(`${one.url}/approve`, sent)).status).toBe(202);
    await until(async () => expect(await other.told("/api/v1/cluster")).toMatchObject({ queue: { waiting: { count: 1 } } }));
    expect((await one.ask("/api/v1/cluster", { headers: {} })).status).toBe(401);
    // A node that ends says so, so that the others need not wait until its last sign of life is too old.
    await other.served.close();
    expect((await nodes(one)).map(({ node }) => node)).toEqual([nodeName(one.served.host)]);
  });
});
