import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { engineOf } from "#runtime/durable/durable.ts";
import { durableRuns } from "#runtime/durable/runs-trigger.ts";
import { prometheus } from "#runtime/metrics/prometheus.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import { Outage } from "#runtime/store/outage.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { until } from "../../harness/until.ts";
import { newRun, of } from "../store/run-stores.ts";

// Metrics by which an operator sees that durable runs go on (spec/surfaces 16).

let folder = "";
const hosts: Host[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-gauges-"));
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
  rmSync(folder, { recursive: true, force: true });
});

const yaml = `
name: orders
expose_metrics: true
interfaces:
  order:
    method: POST
    durable: true
    actions: [{ name: Done, json_output: { ok: true } }]
`;

/** A process of another time that shares the store. */
function at(clock: number): Host {
  const host = createHost({ clock, env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "runs.db")}` } });
  hosts.push(host);
  return host;
}

async function read(host: Host): Promise<Readonly<Record<string, number>>> {
  const metrics = (await prometheus(host).values()) as readonly { name: string; values: readonly { value: number }[] }[]; // plain data of the library
  const durable = metrics.filter(({ name }) => name.startsWith("pipewright_durable_"));
  return Object.fromEntries(durable.map(({ name, values }) => [name.slice("pipewright_durable_".length), values[0]?.value ?? Number.NaN]));
}

test("a run that cannot be read is stuck, and looked at once a minute", async () => {
  const host = at(1_700_000_000_000);
  const config = await evaluate((await printOne(planned(yaml))).code);
  const [plan = ""] = config.interfaces[0]?.durable?.plans ?? [];
  const run = newRun({ plan, input: "v1.sealed" });
  const { store } = engineOf(host);
  await store.create(run);
  const trigger = durableRuns(host, config);
  trigger.start();
  await until(async () => expect(await read(host)).toMatchObject({ runs: 0, runs_stuck: 1 }));
  await until(async () => expect(await store.show(run.id)).toMatchObject({ node: null, due: (await store.now()) + 60_000, epoch: 1 }));
  trigger.stop();
});

test("runs that are held, runs that nobody goes on with, and a store that is away", async () => {
  const start = 1_700_000_000_000;
  await runsOf(at(start)).create(newRun({ plan: "of another bundle" }));
  await runsOf(at(start + 50_000)).create(newRun({ plan: "of another bundle" }));
  const host = at(start + 61_000);
  const config = await evaluate((await printOne(planned(yaml))).code);
  const trigger = durableRuns(host, config);
  trigger.start();
  expect(await read(host)).toEqual({ runs: 0, runs_stuck: 1, store_up: 1 });
  const run = { ...newRun({ lease: of("a") }), confirmed: 0, goOn: () => undefined, fence: () => undefined, handOver: () => undefined };
  engineOf(host).hold({ ...run, epoch: 1 }, false);
  vi.spyOn(engineOf(host).store, "probe").mockRejectedValue(new Outage("away"));
  engineOf(host).health.failed(new Outage("away"));
  expect(await read(host)).toEqual({ runs: 1, runs_stuck: 1, store_up: 0 });
  trigger.stop();
});
