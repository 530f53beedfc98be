import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { Engine, type HeldRun } from "#runtime/durable/engine.ts";
import { timersOf } from "#runtime/durable/timers.ts";
import { createHost } from "#runtime/process/host.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import type { Held, OnSeen, RunStore } from "#runtime/store/runs.ts";
import { until } from "../../harness/until.ts";
import { durable, newRun } from "../store/run-stores.ts";
import { Process, World } from "./simulated-world.ts";

// A node that others take for gone although it lives (spec/surfaces 14): its leases may be ended, so it begins nothing on them.

const settings = { leaseMs: 15_000, renewMs: 5_000, pollMs: 250, outageMs: 1_000, mostTaken: 10 };

/** A run that an engine holds, and how often it was told to go on. */
function heldRun(held: Held, confirmed: number): HeldRun & { wentOn: number } {
  const run = {
    ...held,
    confirmed,
    wentOn: 0,
    goOn: () => {
      run.wentOn += 1;
    },
    fence: () => undefined,
    handOver: () => undefined,
  };
  return run;
}

/** A store whose renewals are answered when the test says so, and that tells of its session likewise. */
function slowStore(now: () => number) {
  const renewals: ((lost: readonly string[]) => void)[] = [];
  let told: OnSeen = () => undefined;
  const store: RunStore = Object.assign(new MemoryRuns(now), {
    attend: async (_: string, tell: OnSeen = told): Promise<void> => {
      told = tell;
    },
    renew: () => new Promise<readonly string[]>((resolve) => void renewals.push(resolve)),
  });
  return { store, renewals, told: (isSeen: boolean) => told(isSeen) };
}

describe("the lease of a node whose session is lost", () => {
  const setUp = async () => {
    const world = new World(1);
    const { store, ...slow } = slowStore(() => world.now);
    const timers = new Process(world, 1);
    const engine = new Engine({ store, isLasting: true, node: "n", timers, log: () => undefined, settings });
    const run = heldRun({ id: "r", epoch: 1 }, 0);
    engine.hold(run, false);
    /** Time goes on up to there, when what has been answered is known. */
    const pass = async (to: number): Promise<void> => {
      world.after(0, () => undefined);
      await world.run(to);
    };
    await pass(10);
    return { world, pass, engine, run, ...slow };
  };

  test("is none until it was renewed behind the session's return", async () => {
    const { world, pass, engine, run, renewals, told } = await setUp();
    expect(engine.isConfirmed(run)).toBe(true);
    await pass(5_000);
    expect(renewals).toHaveLength(1);
    told(false);
    expect(engine.isConfirmed(run)).toBe(false);
    // Sent before the session was lost.
    renewals[0]?.([]);
    await pass(9_999);
    expect(engine.isConfirmed(run)).toBe(false);
    // Sent while it was lost, and answered when it is back.
    await pass(10_001);
    expect(renewals).toHaveLength(2);
    world.now = 10_100;
    told(true);
    expect(engine.isConfirmed(run)).toBe(false);
    renewals[1]?.([]);
    await pass(10_100);
    expect(engine.isConfirmed(run)).toBe(false);
    // Another one goes out at once.
    await pass(10_200);
    expect(renewals).toHaveLength(3);
    const { wentOn } = run;
    renewals[2]?.([]);
    await pass(10_300);
    expect(engine.isConfirmed(run)).toBe(true);
    expect(run.wentOn).toBe(wentOn + 1);
  });

  test("counts likewise for a run that begins meanwhile", async () => {
    const { world, engine, told } = await setUp();
    told(false);
    expect(engine.isConfirmed(heldRun({ id: "s", epoch: 1 }, world.now))).toBe(false);
    world.now += 1;
    told(true);
    expect(engine.isConfirmed(heldRun({ id: "s", epoch: 1 }, world.now))).toBe(true);
  });
});

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const postgres = durable.find(({ name }) => name === "postgres");

describe.skipIf(postgres === undefined)("a session that PostgreSQL ends", () => {
  test("others end the lease of a node that lives, and it begins nothing before it has another session", async () => {
    const place = await (postgres ?? durable[0])?.open();
    if (place === undefined) throw new Error("no place");
    open.push(place);
    const client = new pg.Client({ connectionString: place.address });
    await client.connect();
    open.push({ close: () => client.end() });
    const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: place.address } });
    open.push(host);
    const [mine, others] = [runsOf(host), place.node()];
    const engine = new Engine({
      store: mine,
      isLasting: true,
      node: "n1",
      timers: timersOf(() => performance.now()),
      log: () => undefined,
    });
    open.push(engine);
    const stored = newRun({ lease: engine.lease });
    const sent = performance.now();
    await mine.create(stored);
    const run = heldRun({ id: stored.id, epoch: 1 }, sent);
    engine.hold(run, false);
    const sessionOf = async (): Promise<string | undefined> =>
      (await client.query<{ session: string }>("SELECT session FROM pw_nodes WHERE node = 'n1'")).rows[0]?.session;
    const first = await until(async () => (await sessionOf()) ?? Promise.reject(new Error("no session")));
    expect(engine.isConfirmed(run)).toBe(true);
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = $1",
      [first],
    );
    await until(() => expect(engine.isConfirmed(run)).toBe(false));
    // No node has claimed the run, so the first node may go on when others see it again.
    await until(async () => expect(await others.expireGone().then(() => sessionOf())).not.toBe(first));
    await until(() => expect(engine.isConfirmed(run)).toBe(true));
    expect(await sessionOf()).toEqual(expect.any(String));
    expect(await others.expireGone()).toBe(0);
    expect(await others.claim({ node: "n2", ms: 60_000 }, ["p1"], 10)).toEqual([]);
  });

  test("a session that comes while others look for nodes that are gone keeps the leases", async () => {
    const place = await (postgres ?? durable[0])?.open();
    if (place === undefined) throw new Error("no place");
    open.push(place);
    const client = new pg.Client({ connectionString: place.address });
    await client.connect();
    open.push({ close: () => client.end() });
    const others = place.node();
    const stored = newRun({ lease: { node: "n1", ms: 60_000 } });
    await others.create(stored);
    // No node holds the first lock. The second lock is there before the others have ended the leases of the first.
    const [first, second] = [`4${process.pid}`, `5${process.pid}`];
    await client.query("INSERT INTO pw_nodes (node, session) VALUES ('n1', $1)", [first]);
    await client.query("SELECT pg_advisory_lock($1::bigint)", [second]);
    await client.query("BEGIN");
    await client.query("UPDATE pw_nodes SET session = $1", [second]);
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const expired = others.expireGone();
    const isHeld = "SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
    await until(async () => expect((await client.query(isHeld, [rows[0]?.pid])).rows).toHaveLength(1));
    await client.query("COMMIT");
    expect(await expired).toBe(0);
    expect((await client.query("SELECT session FROM pw_nodes")).rows).toEqual([{ session: second }]);
    expect(await others.claim({ node: "n2", ms: 60_000 }, ["p1"], 10)).toEqual([]);
  });
});
