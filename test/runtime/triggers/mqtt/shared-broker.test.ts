import { describe, expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import { ModelClient, nodesOfTest, publish, type SharedNode } from "./shared-nodes.ts";

// Sessions of several processes, with a bus and a store of one process (docs/internals/mqtt.md).

const given = nodesOfTest();

describe("a message", () => {
  test("reaches subscribers of all processes once, in one order", async () => {
    const [here, there] = given().nodes;
    const clients = [new ModelClient("a"), new ModelClient("b")];
    for (const [n, client] of clients.entries()) {
      await client.connect(n === 0 ? here : there);
      await client.subscribe("t/#", 0);
      await client.subscribe("t/+", 0);
    }
    await Promise.all(Array.from({ length: 50 }, (_, n) => publish(n % 2 === 0 ? here : there, "t/x", `${n}`)));
    for (const { got } of clients) await until(() => expect(got).toHaveLength(50));
    expect(clients[1]?.got).toEqual(clients[0]?.got);
    const even = clients[0]?.got.filter((_, i) => i >= 0 && Number(clients[0]?.got[i]?.slice(4)) % 2 === 0);
    expect(even).toEqual(Array.from({ length: 25 }, (_, n) => `t/x ${2 * n}`));
  });

  test("that is retained is given to who subscribes at any process, also one that comes later, and is cleared everywhere", async () => {
    const [here, there] = given().nodes;
    await publish(here, "r/1", "first", { retain: true });
    await publish(there, "r/2", "second", { retain: true });
    await publish(there, "r/1", "", { retain: true });
    const late = await given().place.node();
    for (const [n, node] of [here, there, late].entries())
      await until(() => expect([...node.broker.local.retained.find(["#"])].map(({ topic }) => `${n} ${topic}`)).toEqual([`${n} r/2`]));
  });
});

describe("a client that connects to another process", () => {
  test("ends its connection at the first one, and goes on with its session, what waits and what it has not acknowledged", async () => {
    const [here, there] = given().nodes;
    const client = new ModelClient("c");
    await client.connect(here);
    await client.subscribe("t", 2);
    for (let n = 0; n < 20; n++) await publish(there, "t", `${n}`, { qos: n % 2 === 0 ? 2 : 1 });
    await until(() => expect(client.got.length).toBe(8));
    // Three are on their way to the end of the exchange.
    client.answer(3);
    const again = client.connect(there);
    const opened = await again;
    expect(opened).toMatchObject({ isPresent: true, session: { needsRecheck: true } });
    await until(() => {
      client.answer();
      expect(client.got.length).toBeGreaterThanOrEqual(20);
      expect(client.waits).toBe(false);
    });
    const ofQos2 = client.got.filter((text) => Number(text.slice(2)) % 2 === 0);
    expect(ofQos2).toEqual(Array.from({ length: 10 }, (_, n) => `t ${2 * n}`));
    expect(new Set(client.got).size).toBe(20);
  });

  test("is told that it was taken over", async () => {
    const [here, there] = given().nodes;
    const [first, second] = [new ModelClient("c"), new ModelClient("c")];
    await first.connect(here, { keptMs: 0, keeps: false });
    await second.connect(there, { keptMs: 0, keeps: false });
    await until(() => expect(first.isTakenOver).toBe(true));
    expect(second.isTakenOver).toBe(false);
  });

  test("may begin anew: then nothing of its session is left", async () => {
    const [here, there] = given().nodes;
    const client = new ModelClient("c");
    await client.connect(here);
    await client.subscribe("t", 1);
    client.drop();
    await publish(here, "t", "old");
    expect(await client.connect(there, { keeps: false })).toMatchObject({ isPresent: false });
    client.drop();
    expect(await client.connect(here)).toMatchObject({ isPresent: true });
    await publish(here, "t", "new");
    await publish(here, "other", "mark");
    expect(client.got).toEqual([]);
  });

  test("and back again, many times, misses nothing", async () => {
    const client = new ModelClient("c");
    const all = given().nodes;
    await client.connect(all[0]);
    await client.subscribe("t", 2);
    for (let n = 0; n < 30; n++) {
      const sent = publish(all[n % 2] as SharedNode, "t", `${n}`, { qos: 2 });
      await client.connect(all[(n + 1) % 2] as SharedNode);
      if (n % 3 === 0) client.answer();
      await sent;
    }
    await until(() => {
      client.answer();
      expect(client.got).toEqual(Array.from({ length: 30 }, (_, n) => `t ${n}`));
    });
  });
});

describe("rows that nobody knows", () => {
  const row = { name: "n", position: 1, filters: "[]", isNew: true, set: [], removed: [] };

  test("are removed with the process that has stored them; its sessions stay, and so do rows of others", async () => {
    const [here, there] = given().nodes;
    const client = new ModelClient("c");
    await client.connect(there);
    await client.subscribe("t", 2);
    client.drop();
    const store = given().place.store();
    await until(async () => expect(await store.left(there.bus.source)).toHaveLength(1));
    for (const owner of [there.bus.source, "of another service"])
      await store.write({ owner, position: 1, changes: [{ ...row, id: `orphan of ${owner}`, owner, epoch: 1 }], ends: [] });
    await given().place.kill(there);
    await until(async () => expect(await store.left(there.bus.source)).toEqual([]));
    expect(await store.claim([`orphan of ${there.bus.source}`], 2)).toEqual([]);
    expect(await store.left("of another service")).toHaveLength(1);
    expect(await client.connect(here)).toMatchObject({ isPresent: true });
  });

  test("are removed by their process when the others have forgotten the session", async () => {
    const [here] = given().nodes;
    const client = new ModelClient("c");
    await client.connect(here);
    const store = given().place.store();
    await until(async () => expect(await store.left(here.bus.source)).toHaveLength(1));
    // A server that has crashed gives back what was on its disk, and the opening was not.
    here.broker.restore([]);
    expect(client.isTakenOver).toBe(true);
    await until(async () => expect(await store.left(here.bus.source)).toEqual([]));
  });
});

describe("a process that is killed", () => {
  test("leaves its sessions to another one: absent clients miss nothing, and get nothing twice", async () => {
    const [here, there] = given().nodes;
    const client = new ModelClient("c");
    await client.connect(there);
    await client.subscribe("t", 2);
    client.drop();
    await publish(here, "t", "0", { qos: 2 });
    await given().place.kill(there);
    for (let n = 1; n < 10; n++) await publish(here, "t", `${n}`, { qos: 2 });
    expect(await client.connect(here)).toMatchObject({ isPresent: true });
    await until(() => {
      client.answer();
      expect(client.got).toEqual(Array.from({ length: 10 }, (_, n) => `t ${n}`));
    });
  });

  test("with all others leaves them to the one that comes next", async () => {
    const [here, there] = given().nodes;
    const client = new ModelClient("c");
    await client.connect(there);
    await client.subscribe("t", 1);
    client.drop();
    await publish(here, "t", "0");
    await new Promise<void>((resolve) => void there.broker.stored().then(resolve));
    await given().place.kill(there);
    await given().place.kill(here);
    const next = await given().place.node();
    expect(await client.connect(next)).toMatchObject({ isPresent: true });
    await until(() => expect(client.got).toEqual(["t 0"]));
  });

  test("has its wills published once, those of clients that come back in time not at all", async () => {
    const [here, there] = given().nodes;
    const third = await given().place.node();
    const watcher = new ModelClient("w");
    await watcher.connect(here);
    await watcher.subscribe("will/#", 0);
    const [plain, late, back] = [new ModelClient("plain"), new ModelClient("late"), new ModelClient("back")];
    await plain.connect(there, { will: "will/plain", keptMs: 0, keeps: false });
    await late.connect(there, { will: "will/late", delayMs: 400 });
    await back.connect(there, { will: "will/back", delayMs: 300 });
    await given().place.kill(there);
    await until(() => expect(watcher.got).toEqual(["will/plain plain"]));
    await back.connect(third, { will: "will/again", delayMs: 60_000 });
    // The will of `late` is due after the time of `back`, whose client has connected again: that one is never published.
    await until(() => expect(watcher.got).toEqual(["will/plain plain", "will/late late"]));
  });
});

describe("a will", () => {
  test("of a client that is taken over elsewhere is published, unless it waits and the session goes on", async () => {
    const [here, there] = given().nodes;
    const watcher = new ModelClient("w");
    await watcher.connect(here);
    await watcher.subscribe("will/#", 0);
    const [now, later] = [new ModelClient("now"), new ModelClient("later")];
    await now.connect(here, { will: "will/now" });
    await later.connect(here, { will: "will/later", delayMs: 60_000 });
    await new ModelClient("later").connect(there);
    await new ModelClient("now").connect(there);
    await until(() => expect(watcher.got).toEqual(["will/now now"]));
    // A session that begins anew ends the old one, and its will comes with it.
    const third = new ModelClient("third");
    await third.connect(here, { will: "will/third", delayMs: 60_000 });
    await new ModelClient("third").connect(there, { keeps: false });
    await until(() => expect(watcher.got).toEqual(["will/now now", "will/third third"]));
  });
});

describe("a shared subscription", () => {
  const member = async (name: string, node: SharedNode, more: { readonly keptMs?: number } = {}): Promise<ModelClient> => {
    const client = new ModelClient(name);
    await client.connect(node, { keeps: more.keptMs !== 0, ...more });
    await client.subscribe("$share/g/t/#", 2);
    return client;
  };

  const each = (clients: readonly ModelClient[]): readonly string[] => clients.flatMap(({ got }) => got);

  test("gives each message to one member, whichever process has it", async () => {
    const [here, there] = given().nodes;
    const members = [await member("a", here), await member("b", here), await member("c", there, { keptMs: 0 })];
    const all = Array.from({ length: 60 }, (_, n) => `t/x ${n}`);
    // All processes know all members when each has heard this.
    for (const node of [here, there]) await publish(node, "mark", "");
    await Promise.all(all.map((text, n) => publish(n % 2 === 0 ? here : there, "t/x", text.slice(4), { qos: n % 3 === 0 ? 2 : 1 })));
    await until(() => {
      for (const client of members) client.answer();
      expect(each(members)).toHaveLength(60);
    });
    expect(each(members).toSorted()).toEqual(all.toSorted());
    for (const { got } of members) expect(got.length).toBeGreaterThan(5);
  });

  test("takes back what a member that leaves has not acknowledged, for the others", async () => {
    const [here, there] = given().nodes;
    const [lazy, busy] = [await member("lazy", here, { keptMs: 0 }), await member("busy", there)];
    for (const node of [here, there]) await publish(node, "mark", "");
    for (let n = 0; n < 20; n++) await publish(here, "t", `${n}`);
    busy.answer();
    expect(lazy.got.length).toBeGreaterThan(0);
    lazy.drop(0);
    await until(() => {
      busy.answer();
      expect(busy.got.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `t ${n}`).toSorted());
    });
  });

  test("keeps messages for members that are all away, and gives them to the one that stays with a process that lives", async () => {
    const [here, there] = given().nodes;
    const [one, other] = [await member("one", here), await member("two", there)];
    one.drop();
    other.drop();
    for (let n = 0; n < 20; n++) await publish(here, "t", `${n}`, { qos: 2 });
    await given().place.kill(there);
    for (const client of [one, other]) await client.connect(here);
    await until(() => {
      for (const client of [one, other]) client.answer();
      expect(each([one, other]).toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `t ${n}`).toSorted());
    });
  });

  test("is known to a process that comes later", async () => {
    const [here, there] = given().nodes;
    const members = [await member("a", here), await member("b", there, { keptMs: 0 })];
    const late = await given().place.node();
    await Promise.all(Array.from({ length: 20 }, (_, n) => publish(late, "t", `${n}`)));
    await publish(late, "t/last", "", { qos: 2 });
    await until(() => {
      for (const client of members) client.answer();
      expect(each(members)).toHaveLength(21);
    });
    expect(new Set(each(members)).size).toBe(21);
  });
});
