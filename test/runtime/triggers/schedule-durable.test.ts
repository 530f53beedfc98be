import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { until } from "../../harness/until.ts";
import { Clock, minute, node, stopNodes } from "./schedule-clock.ts";

// A scheduled run that leaves the process is over for its schedule (spec/surfaces 14): the next time begins another one.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-schedule-"));
});
afterEach(async () => {
  await stopNodes();
  rmSync(folder, { recursive: true, force: true });
});

const waits = `{ name: Wait, wait_for_callback: { token: "a|uuid|", timeout: 2d } }`;
const sleeps = "{ name: Sleep, delay: 2d }";

test.each([
  ["printed", waits],
  ["walked", waits],
  ["printed", sleeps],
] as const)("%s: %s", async (how, action) => {
  const text = `name: t
interfaces:
  job:
    output: none
    schedule: { cron: "* * * * *", max_attempts: 3, enabled: true }
    actions:
      - ${action}
`;
  const config = await evaluate((await printOne(planned(text), { interpret: how === "walked" })).code);
  const clock = new Clock();
  const base = createHost({ env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "store.db")}` } });
  const { host, scheduler, log } = node(clock, config, base);
  scheduler.start();
  for (const n of [1, 2]) {
    await clock.reach(n * minute);
    await until(async () => expect(await runsOf(host).list({ status: "waiting" })).toHaveLength(n));
    // The tick has ended, and with it the sole right to run.
    await until(() => expect(background(host).count).toBe(0));
  }
  expect(log.filter((line) => !line.startsWith("debug"))).toEqual([]);
});
