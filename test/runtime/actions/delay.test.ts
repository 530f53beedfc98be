import { expect, test } from "vitest";
import { delay } from "../../../runtime/features/actions/delay.ts";
import { createHost } from "../../../runtime/process/host.ts";
import { LiveAct } from "../../../runtime/run/live-act.ts";
import { LiveRun } from "../../../runtime/run/live-run.ts";
import type { Act } from "../../../runtime/run/run.ts";
import { failure } from "../../harness/database-run.ts";

const slept: number[] = [];

function act(): Act {
  const real = createHost({ env: {}, limits: { maxDelayMs: 1000 } });
  const host = {
    ...real,
    sleep: async (ms: number, signal: AbortSignal): Promise<void> => {
      signal.throwIfAborted();
      slept.push(ms);
    },
  };
  const config = { name: "test", interfaces: [], needs: { env: [], vars: [], secrets: [] } };
  const target = { name: "test", output: "http", run: () => undefined } as const;
  const input = { id: "id", trigger: "http", method: "POST", path: "/", body: null, raw_body: null, params: {}, headers: {}, ip: {} };
  return new LiveAct(new LiveRun(host, config, target, input), "Wait", {}, () => null);
}

test("waits, up to the cap of the process", async () => {
  expect([await delay(act(), 0), await delay(act(), 1000)]).toEqual([{ delayed_ms: 0 }, { delayed_ms: 1000 }]);
  expect(slept).toEqual([0, 1000]);
  expect(await failure(delay(act(), 1001))).toBe("evaluation: delay 1001ms exceeds the limit of 1000ms");
  expect(await failure(delay(act(), null))).toBe("evaluation: field delay: expected duration, got null");
});

test("ends with the run", async () => {
  const waiting = act();
  waiting.run.cancel("gone");
  expect(await failure(delay(waiting, 1000))).toBe("evaluation: delay cancelled");
});
