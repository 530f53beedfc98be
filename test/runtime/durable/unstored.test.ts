import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { type Asker, Execution } from "#runtime/run/execution.ts";
import type { Interface } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Refusal } from "#runtime/run/refusals.ts";
import { bareRequest } from "#runtime/run/request.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { Outage } from "#runtime/store/outage.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";

// A run that the store does not take never was one (spec/surfaces 14, spec/language 7.8): its caller may send it again.

const text = `name: t
on_error: { interface: failed }
interfaces:
  job:
    output: none
    durable: true
    log: { msg: job }
    response: { logs: [{ on: any }] }
    actions: [{ name: Job, json_output: { n: 1 } }]
  failed:
    output: none
    log: { msg: handled }
    actions: [{ name: Job, json_output: { n: 1 } }]
`;

test.each(["walked", "printed"] as const)("%s: a run that is not stored has no log, no record and no handler", async (how) => {
  const config = await evaluate((await printOne(planned(text), { interpret: how === "walked" })).code);
  const logged: string[] = [];
  const host = createHost({ env: {}, log: (level, msg) => void logged.push(`${level} ${msg}`) });
  host.resource("runs", () => Object.assign(new MemoryRuns(host.now), { create: () => Promise.reject(new Outage("gone")) }));
  const [found] = config.interfaces;
  if (found === undefined) throw new Error("no interface");
  const noted: number[] = [];
  const capture = { listen: () => undefined, note: (_: unknown, status: number) => void noted.push(status) };
  const target = { ...found, capture: capture as unknown as NonNullable<Interface["capture"]> }; // nothing else of it is asked
  const { promise, resolve } = Promise.withResolvers<Refusal>();
  const asker: Asker = { answer: ({ status }) => status, refuse: resolve };
  new Execution(new LiveRun(host, config, target, bareRequest(host, "cli")), { asker }).begin();
  expect(await promise).toMatchObject({ status: 503, code: "run_store_unavailable" });
  for (let turns = 0; turns < 20; turns++) await setImmediate();
  expect([noted, logged.filter((line) => !line.includes("store"))]).toEqual([[], []]);
  await host.close();
});
