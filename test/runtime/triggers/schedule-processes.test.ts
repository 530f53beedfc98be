import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import { serve } from "#runtime/process/server.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import { background } from "#runtime/run/end/background.ts";
import type { Scheduler } from "#runtime/run/interface.ts";
import type { Json } from "#runtime/value/json.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { printAll } from "../../../compiler/pipeline.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { smallLink } from "../../harness/small-link.ts";
import { configOf } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { backends } from "../state/state-stores.ts";
import { Clock, job, midnight, minute, node, stopNodes } from "./schedule-clock.ts";

// Schedules of processes (spec/surfaces 2): one node alone runs them, from the start of a server to its end.

afterEach(stopNodes);

const stores = await backends();
afterAll(() => Promise.all(stores.map((each) => each.close())));

describe.each(stores.filter(({ name }) => name !== "memory"))("nodes that share $name", (store) => {
  test("run each time once", async () => {
    const clock = new Clock();
    const seen: Json[] = [];
    const config = job({ cron: "* * * * *" }, ({ params }) => seen.push(params ?? null));
    const nodes = [1, 2, 3].map(() => node(clock, config, store.process()));
    for (const { scheduler } of nodes) scheduler.start();
    for (const n of [1, 2, 3]) {
      await clock.reach(n * minute);
      await until(() => expect(seen).toHaveLength(n));
      await Promise.all(nodes.map(({ host }) => background(host).ended()));
    }
    expect(seen).toEqual([1, 2, 3].map((n) => ({ scheduled_at: `2026-03-01T00:0${n}:00.000Z`, attempt: "1" })));
    expect(nodes.flatMap(({ log }) => log)).toEqual([]);
  });
});

test("nodes with states of their own run each time once where they share PIPEWRIGHT_DATABASE_URL", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
  const file = (name: string): string => `sqlite:${join(folder, name)}`;
  const clock = new Clock();
  const seen: Json[] = [];
  const config = job({ cron: "* * * * *" }, ({ params }) => seen.push(params ?? null));
  const nodes = ["1", "2"].map((name) => {
    const env = { PIPEWRIGHT_DATABASE_URL: file("shared"), PIPEWRIGHT_STATE_DATABASE_URL: file(name) };
    return node(clock, config, createHost({ env }));
  });
  for (const { scheduler } of nodes) scheduler.start();
  await clock.reach(minute);
  await until(() => expect(seen).toHaveLength(1));
  await Promise.all(nodes.map(({ host }) => background(host).ended()));
  expect(seen).toHaveLength(1);
  rmSync(folder, { recursive: true, force: true });
});

test("a run that is under way counts once for a shutdown", async () => {
  const clock = new Clock();
  const { promise, resolve } = Promise.withResolvers<Json>();
  let begun = 0;
  const config = job({ cron: "* * * * *" }, () => {
    begun += 1;
    return promise;
  });
  const { scheduler, host } = node(clock, config);
  scheduler.start();
  await clock.reach(minute);
  await until(() => expect(begun).toBe(1));
  expect(background(host).count).toBe(1);
  resolve(null);
  await background(host).ended();
  expect(background(host).count).toBe(0);
});

test("a store that does not answer runs nothing", async () => {
  const clock = new Clock();
  const seen: Json[] = [];
  const config = job({ cron: "* * * * *" }, (each) => seen.push(each));
  const { scheduler, log } = node(clock, config, createHost({ env: { PIPEWRIGHT_DATABASE_URL: "postgres://x@127.0.0.1:1/x" } }));
  scheduler.start();
  await clock.reach(minute);
  await until(() => expect(log.join("\n")).toContain("whether another node runs it is not known"));
  expect(seen).toEqual([]);
});

describe("a process among others", () => {
  const config = job({ cron: "* * * * *" }, () => null);
  const clustered = (url: string): Host => createHost({ env: { PIPEWRIGHT_CLUSTERED: "true", PIPEWRIGHT_DATABASE_URL: url } });

  test("does not start without a store that they share", async () => {
    for (const url of ["", "sqlite:x.db"])
      expect(await node(new Clock(), config, clustered(url)).scheduler.missing()).toEqual([
        "schedules of t need a database that all nodes share: set PIPEWRIGHT_DATABASE_URL to postgres://…",
      ]);
  });

  test("waits ten seconds for it", async () => {
    const clock = new Clock();
    const missing = node(clock, config, clustered("postgres://x@127.0.0.1:1/x")).scheduler.missing();
    await until(async () => {
      await clock.reach(clock.now - midnight + 1000);
      expect(clock.now - midnight).toBeGreaterThan(15_000);
    });
    expect(await missing).toEqual(["schedules of t: the database of PIPEWRIGHT_DATABASE_URL does not answer"]);
  });
});

const text = `name: t
interfaces:
  job:
    output: none
    schedule: { cron: "30 1 * * *", timezone: Europe/Berlin, enabled: true }
    log: { msg: "a|request::trigger| a|params::attempt| a|Job|" }
    actions:
      - name: Job
        json_output: { at: a|params::scheduled_at|, body: a|body| }
`;

test.each([false, true])("a configuration, walked: %s", async (interpret) => {
  const { configs } = await load(await printAll(planned(text), { interpret }));
  const [config = configOf()] = configs;
  const clock = new Clock();
  const { scheduler, log } = node(clock, config);
  scheduler.start();
  await clock.reach(31 * minute);
  expect(log).toEqual(['info schedule 1 {"at":"2026-03-01T00:30:00.000Z","body":null} null']);
});

test("a bundle carries cron only where it is needed", async () => {
  const carried = async (config: string): Promise<readonly string[]> =>
    (await smallLink(await printOne(planned(config)))).files.filter((file) => /cron|schedule/.test(file));
  expect(await carried(text.replace("enabled: true", "enabled: false"))).toEqual([]);
  expect(await carried(text)).toContain("runtime/triggers/schedule.ts");
});

test("a server starts schedules when it listens, and stops them first", async () => {
  const steps: string[] = [];
  const scheduler = (missing: readonly string[]): Scheduler => ({
    missing: async () => missing,
    start: () => void steps.push("start"),
    stop: () => void steps.push("stop"),
  });
  const serving = (missing: readonly string[]) =>
    serve([{ ...configOf(), schedules: () => scheduler(missing) }], {
      address: "127.0.0.1",
      port: 0,
      noticeMs: 0,
      env: {},
      log: (_, msg) => void steps.push(msg),
    });
  await expect(serving(["a store"])).rejects.toThrow(Unmet);
  expect(steps).toEqual([]);
  await (await serving([])).close();
  expect(steps).toEqual(["listening", "start", "stop"]);
});
