import { expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { type Asker, Execution } from "#runtime/run/execution.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { bareRequest } from "#runtime/run/request.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { Outage } from "#runtime/store/outage.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";

// Others see that a node lives before it stores its first run (spec/surfaces 14): killed at once, its run is taken over at once.

const text = `name: t
interfaces:
  job:
    output: none
    durable: true
    actions: [{ name: Job, json_output: { n: 1 } }]
`;

test.each([
  ["walked", "sees it"],
  ["printed", "sees it"],
  ["printed", "does not answer"],
] as const)("%s: a run is stored when the store %s, and not before", async (how, outcome) => {
  const config = await evaluate((await printOne(planned(text), { interpret: how === "walked" })).code);
  const host = createHost({ env: {} });
  const { promise: seen, resolve, reject } = Promise.withResolvers<void>();
  const store = host.resource("runs", () => Object.assign(new MemoryRuns(host.now), { attend: () => seen }));
  const [target] = config.interfaces;
  if (target === undefined) throw new Error("no interface");
  const { promise: status, resolve: told } = Promise.withResolvers<number>();
  const asker: Asker = {
    answer: (reply) => {
      told(reply.status);
      return reply.status;
    },
    refuse: (refusal) => told(refusal.status),
  };
  new Execution(new LiveRun(host, config, target, bareRequest(host, "cli")), { asker }).begin();
  // All that does not wait for the store has been done by then.
  for (let turns = 0; turns < 20; turns++) await new Promise((done) => setImmediate(done));
  expect(await store.list({})).toEqual([]);
  if (outcome === "sees it") resolve();
  else reject(new Outage("gone"));
  expect(await status).toBe(200);
  expect(await store.list({})).toMatchObject([{ epoch: 1 }]);
  await host.close();
});
