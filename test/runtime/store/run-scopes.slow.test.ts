import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCluster } from "#runtime/cluster/open.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import type { RunStore } from "#runtime/store/runs.ts";
import { Claims } from "#runtime/triggers/schedule/claims.ts";
import { type DurablePlace, durable, hashOf, minute, newRun, of } from "./run-stores.ts";

// Environments and organisations that share a database: each has its own runs and schedules (spec/surfaces 0, 14).

describe.each(durable)("$name", ({ name, open }) => {
  let place: DurablePlace;
  let production: RunStore;
  let staging: RunStore;
  const hosts: Host[] = [];
  beforeEach(async () => {
    place = await open();
    production = place.node();
    staging = place.node("staging");
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await place.close();
  });

  const host = (owner: { readonly organisation?: string; readonly environment?: string }): Host => {
    const made = createHost({ ...owner, env: { PIPEWRIGHT_DATABASE_URL: place.address } });
    hosts.push(made);
    return made;
  };

  test("a run is claimed in its own environment alone, also when its lease is over", async () => {
    const run = newRun({ lease: of("a") });
    await production.create(run);
    await place.pass(2 * minute);
    expect(await staging.nextDue(["p1"])).toBeUndefined();
    expect(await staging.claim(of("b"), ["p1"], 10)).toEqual([]);
    expect(await production.nextDue(["p1"])).toBe(0);
    expect(await production.claim(of("c"), ["p1"], 10)).toMatchObject([{ id: run.id, epoch: 2 }]);
  });

  test("a token resumes nothing in another environment", async () => {
    const run = newRun({ lease: of("a") });
    await production.create(run);
    const wait = { path: "Ask", tokenHash: hashOf(1), until: (await production.now()) + minute };
    await production.checkpoint({ id: run.id, epoch: 1 }, [], { wait, release: {} });
    expect(await staging.resume(wait.tokenHash, "{}")).toEqual({ state: "unknown" });
    expect(await production.resume(wait.tokenHash, "{}")).toEqual({ state: "resumed", id: run.id });
    expect(await staging.resume(wait.tokenHash, "{}")).toEqual({ state: "unknown" });
    expect(await staging.claim(of("b"), ["p1"], 10)).toEqual([]);
  });

  test("an operator of another environment neither sees nor changes a run", async () => {
    const run = newRun({ lease: of("a") });
    await production.create(run);
    await production.checkpoint({ id: run.id, epoch: 1 }, [{ path: "A", output: "1" }], {});
    await place.pass(5 * minute);
    expect(await staging.list({})).toEqual([]);
    expect(await staging.list({ dueBefore: await staging.now() })).toEqual([]);
    expect(await staging.stuck([], 10)).toEqual([]);
    expect(await staging.show(run.id)).toBeUndefined();
    expect(await staging.outputs(run.id)).toEqual([]);
    expect(await staging.cancel(run.id)).toBe("unknown");
    expect(await production.cancel(run.id)).toBe("cancelled");
    expect(await staging.retry(run.id, [])).toBe("unknown");
    await place.pass(minute);
    expect(await staging.prune(await staging.now())).toBe(0);
    expect(await production.show(run.id)).toMatchObject({ status: "cancelled", settled: ["A"] });
    expect(await production.stuck([], 10)).toEqual([]);
    expect(await production.prune(await production.now())).toBe(1);
  });

  test("keys and quotas count the runs of one environment", async () => {
    const run = newRun({ dedupeKey: "k", quota: 1 });
    await production.create(run);
    const other = newRun({ dedupeKey: "k", quota: 1 });
    expect(await staging.create(other)).toMatchObject({ id: other.id, created: true });
    expect(await production.create(newRun({ dedupeKey: "k" }))).toMatchObject({ id: run.id, created: false });
    expect(await staging.create(newRun({ quota: 1 }))).toBe("quota");
  });

  test("a run that was stored before runs had an owner is that of the process which claims it first", async () => {
    const run = newRun();
    await production.create(run);
    await change("UPDATE pw_runs SET scope = ''");
    expect(await production.show(run.id)).toMatchObject({ id: run.id });
    expect(await staging.nextDue(["p1"])).toBe(0);
    expect(await staging.claim(of("b"), ["p1"], 10)).toMatchObject([{ id: run.id }]);
    expect(await production.show(run.id)).toBeUndefined();
    expect(await staging.show(run.id)).toMatchObject({ id: run.id });
  });

  test("processes get the runs of their own organisation and environment", async () => {
    const [own, other] = [runsOf(host({ organisation: "acme" })), runsOf(host({ organisation: "globex" }))];
    const run = newRun();
    await own.create(run);
    expect(await other.claim(of("b"), ["p1"], 10)).toEqual([]);
    const queues = [{ organisation: "acme" }, { organisation: "globex" }].map((owner) => openCluster(host(owner)));
    const [seen, unseen] = await Promise.all(queues.map((queue) => queue?.look()));
    expect(seen?.queue).toMatchObject({ due: { count: 1 } });
    expect(unseen?.queue).toEqual({});
    expect([...(unseen?.bundles ?? [])]).toEqual([]);
    for (const queue of queues) await queue?.release();
    expect(await own.claim(of("a"), ["p1"], 10)).toMatchObject([{ id: run.id }]);
  });

  test("each environment runs a time of a schedule once, and the sole right to run it is its own", async () => {
    const schedule = { config: "c", interface: "job" };
    const nodes = ["production", "production", "staging"].map((environment) => host({ environment }));
    const [first, second, third] = nodes.map((each) => new Claims(each));
    expect(await first?.take(schedule, 60_000)).toBe(true);
    expect(await second?.take(schedule, 60_000)).toBe(false);
    expect(await third?.take(schedule, 60_000)).toBe(true);
    const release = await first?.lease(schedule);
    expect(await second?.lease(schedule)).toBeUndefined();
    const cluster = openCluster(nodes[2] as Host);
    expect((await cluster?.look())?.leases).toEqual([]);
    const releaseOther = await third?.lease(schedule);
    expect(releaseOther).toBeTypeOf("function");
    expect((await cluster?.look())?.leases).toHaveLength(1);
    await cluster?.release();
    await release?.();
    await releaseOther?.();
  });

  async function change(statement: string): Promise<void> {
    if (name === "sqlite") {
      const file = new DatabaseSync(place.address.slice("sqlite:".length));
      file.exec(statement);
      file.close();
      return;
    }
    const client = new pg.Client({ connectionString: place.address });
    await client.connect();
    await client.query(statement);
    await client.end();
  }
});
