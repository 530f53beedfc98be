import { afterEach, describe, expect, test } from "vitest";
import { server } from "../../harness/peers/postgres-server.ts";
import { until } from "../../harness/until.ts";
import { message, type Node, type PostgresService, postgres } from "./buses.ts";

// Nodes that share PostgreSQL: what happens when connections, nodes or the database go (spec/surfaces 17).

const open: PostgresService[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function opened(): Promise<PostgresService> {
  const service = await postgres();
  open.push(service);
  return service;
}

const numbersOf = ({ heard }: Node): readonly unknown[] => heard.map(({ body }) => JSON.parse(body));

/** Takes the database away, until a node knows that it is alone. */
async function takeAway(service: PostgresService, { log }: Node): Promise<void> {
  const told = (): number => log.filter((line) => line.includes("reach only the clients of this node")).length;
  const before = told();
  service.cut(true);
  await until(() => expect(told()).toBe(before + 1));
}

describe.skipIf(server === undefined)("nodes", () => {
  test("connections that break in the middle of a load leave no gap and no repeat, and one order", async () => {
    const service = await opened();
    // However slow the machine is, no node goes on by itself.
    const times = { alone: 600_000 };
    const nodes = [await service.node({ times }), await service.node({ times }), await service.node({ times })];
    const all = 3_000;
    for (let n = 0; n < all; n++) {
      const { bus } = nodes[n % 3] as Node;
      while (!bus.publish(message(n))) await bus.settled();
      if (n % 500 === 250) service.cut();
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    for (const node of nodes) await until(() => expect(node.heard.length).toBeGreaterThanOrEqual(all));
    const [first] = nodes.map(numbersOf);
    expect(first?.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: all }, (_, n) => n));
    for (const node of nodes) expect(numbersOf(node)).toEqual(first);
    expect(nodes.map(({ bus }) => bus.report)).toMatchObject(Array(3).fill({ connected: true, lost: 0 }));
  });

  test("while the database is away a node hears itself; when it is back the others hear what they have missed, once", async () => {
    const service = await opened();
    const times = { alone: 1 };
    const [first, second] = [await service.node({ times }), await service.node({ times })];
    await takeAway(service, first);
    first.bus.publish(message("a", { keep: [{ key: "k" }] }));
    first.bus.publish(message("b"));
    expect(first.heard.map(({ body, when }) => [body, when])).toEqual([
      ['"a"', "early"],
      ['"b"', "early"],
    ]);
    expect(first.bus.report.connected).toBe(false);
    expect(first.bus.settled()).toBeUndefined();
    service.back();
    await until(() => expect(second.bodies()).toEqual(['"a"', '"b"']));
    await until(() => expect(first.heard.map(({ when }) => when)).toEqual(["early", "early", "late", "late"]));
    expect(first.bus.report).toMatchObject({ connected: true, lost: 0 });
    expect((await service.node()).restored().map(({ body }) => body)).toEqual(['"a"']);
  });

  test("a database that stays connected and answers nothing is away, too, before its connection counts as lost", async () => {
    const service = await opened();
    const [first, second] = [await service.node({ times: { unanswered: 1_000 } }), await service.node()];
    service.stall(true);
    let isTold = false;
    first.bus.publish(message("a"), () => {
      isTold = true;
    });
    await until(() => expect(first.heard.map(({ body, when }) => [body, when])).toEqual([['"a"', "early"]]));
    expect(isTold).toBe(true);
    first.bus.publish(message("b"));
    expect(first.bodies()).toEqual(['"a"', '"b"']);
    const [away, lost] = ["reach only the clients of this node", "the other nodes are not heard"].map((text) =>
      first.log.findIndex((line) => line.includes(text)),
    );
    expect(away).toBe(0);
    expect(lost).not.toBe(0);
    expect(first.bus.report.connected).toBe(false);
    service.stall(false);
    await until(() => expect(second.bodies()).toEqual(['"a"', '"b"']));
    await until(() => expect(first.heard.map(({ when }) => when)).toEqual(["early", "early", "late", "late"]));
    await until(() => expect(first.bus.report).toMatchObject({ connected: true, lost: 0 }));
    first.bus.publish(message("c"));
    await until(() => expect(second.bodies()).toEqual(['"a"', '"b"', '"c"']));
  });

  test("when the database comes back, nobody is taken for gone who needs a moment longer to connect", async () => {
    const service = await opened();
    const nodes = [await service.node(), await service.node(), await service.node()];
    await takeAway(service, nodes[0] as Node);
    service.back();
    for (const { bus } of nodes) await until(() => expect(bus.report.connected).toBe(true));
    for (const [n, { bus }] of nodes.entries()) bus.publish(message(n));
    for (const node of nodes) await until(() => expect(node.heard).toHaveLength(3));
    expect(nodes.flatMap(({ gone }) => gone)).toEqual([]);
  });

  test("without the database the oldest messages beyond the bound are lost to the others, and counted", async () => {
    const service = await opened();
    const [first, second] = [await service.node({ times: { alone: 1 } }), await service.node()];
    await takeAway(service, first);
    for (let n = 0; n < 100; n++) expect(first.bus.publish(message("x".repeat(100_000)))).toBe(true);
    expect(first.heard).toHaveLength(100);
    const { lost } = first.bus.report;
    expect(lost).toBe(17);
    service.back();
    await until(() => expect(second.heard).toHaveLength(100 - lost));
  });

  test("with the database too much at once is refused", async () => {
    const service = await opened();
    const { bus } = await service.node();
    let taken = 0;
    while (bus.publish(message("x".repeat(100_000)))) taken += 1;
    expect(taken).toBe(83);
    await bus.settled();
    expect(bus.publish(message("again"))).toBe(true);
  });

  test("a log that has lost what was missed: the state is read anew, and the loss is counted", async () => {
    const service = await opened();
    const [first, second] = [await service.node(), await service.node({ times: { alone: 60_000, retry: 1, longestRetry: 1 } })];
    first.bus.publish(message("kept", { keep: [{ key: "k" }] }));
    await until(() => expect(second.heard).toHaveLength(1));
    service.cut(true);
    // The log as others leave it after a minute: the last message, and none of those before it.
    await service.query(`INSERT INTO pw_bus_log SELECT channel, max(position) + 5, 'other', 5, 't', '5', NULL FROM pw_bus_log GROUP BY channel;
      UPDATE pw_bus_kept SET body = '"newer"'`);
    service.back();
    await until(() => expect(second.restored().map(({ body }) => body)).toContain('"newer"'));
    expect(second.bus.report.lost).toBe(4);
    expect(second.log.join("\n")).toContain("messages of other nodes were lost");
  });

  test("a database that has crashed has an empty log: positions go on behind all that were used", async () => {
    const service = await opened();
    const [first, second] = [await service.node(), await service.node()];
    for (let n = 0; n < 50; n++) first.bus.publish(message(n));
    await until(() => expect(second.heard).toHaveLength(50));
    service.cut(true);
    await service.query("TRUNCATE pw_bus_log, pw_bus_nodes");
    service.back();
    await until(() => expect([first.bus.report.connected, second.bus.report.connected]).toEqual([true, true]));
    first.bus.publish(message("after"));
    second.bus.publish(message("after, too"));
    for (const node of [first, second]) await until(() => expect(node.heard).toHaveLength(52));
    const positions = second.heard.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  test("a node that is gone without a word is missed, its things go, and the oldest other node is the heir", async () => {
    const service = await opened();
    const first = await service.node();
    const second = await service.node();
    const row = "SELECT channel FROM pw_bus_nodes LIMIT 1";
    await service.query(`INSERT INTO pw_bus_kept SELECT channel, 'x', 't', '"x"', 1, 'dead', 0, '1' FROM (${row}) AS c;
      INSERT INTO pw_bus_kept SELECT channel, 'y', 't', '"y"', 1, 'dead.2', 1, '2' FROM (${row}) AS c;
      INSERT INTO pw_bus_nodes SELECT channel, 'dead', 4711, 1 FROM (${row}) AS c`);
    for (const node of [first, second]) await until(() => expect(node.gone).toContainEqual({ source: "dead", heir: first.bus.source }));
    await until(async () =>
      expect(await service.query("SELECT key, owner FROM pw_bus_kept WHERE kind = 't'")).toEqual([{ key: '"y"', owner: first.bus.source }]),
    );
    expect((await service.query("SELECT source FROM pw_bus_nodes")).length).toBe(2);
  });

  test("a node that was taken for gone comes back", async () => {
    const service = await opened();
    const first = await service.node();
    const second = await service.node();
    first.bus.publish({ kind: "bus", body: JSON.stringify({ gone: second.bus.source, heir: first.bus.source }) });
    await until(() => expect(second.gone).toHaveLength(1));
    await until(async () =>
      expect(
        (await service.query("SELECT key FROM pw_bus_kept WHERE kind = 'bus'")).map(({ key }) => JSON.parse(String(key))).toSorted(),
      ).toEqual([first.bus.source, second.bus.source].toSorted()),
    );
    second.bus.publish(message("here"));
    await until(() => expect(first.bodies()).toEqual(['"here"']));
  });

  test("a node that says goodbye is gone at once", async () => {
    const service = await opened();
    const first = await service.node({ times: { missing: 60_000 } });
    const second = await service.node();
    await second.bus.close();
    await until(() => expect(first.gone).toEqual([{ source: second.bus.source, heir: first.bus.source }]));
    expect(second.log).toEqual([]);
  });
});
