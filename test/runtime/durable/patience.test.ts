import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { resumed } from "#runtime/durable/callbacks.ts";
import { engineOf } from "#runtime/durable/durable.ts";
import { patienceMs, patiently } from "#runtime/durable/patience.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { refusals } from "#runtime/run/refusals.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { emptyRequest } from "../../harness/run-once.ts";

// A caller is told within a second that the store is away, however long the store itself takes to find that out (spec/surfaces 14). The
// clock is virtual: nothing here depends on how busy the machine is.

const text = `
name: shop
interfaces:
  order: { method: POST, durable: true, actions: [{ name: A, json_output: 1 }] }
`;

const never = (): Promise<never> => new Promise(() => undefined);

let host: Host;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  host = createHost({ env: {} });
});
afterEach(async () => {
  vi.useRealTimers();
  await host.close();
});

/** Lets all happen that waits for no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** True when it is over just at the end of the patience. */
async function endsInTime(isOver: () => boolean): Promise<readonly boolean[]> {
  await settle();
  await vi.advanceTimersByTimeAsync(patienceMs - 1);
  await settle();
  const before = isOver();
  await vi.advanceTimersByTimeAsync(1);
  await settle();
  return [before, isOver()];
}

test("a caller waits less than a second", () => expect(patienceMs).toBeLessThanOrEqual(800));

test.each(["attend", "create"] as const)("a run, while the store does not answer to %s", async (call) => {
  const { store, health } = engineOf(host);
  vi.spyOn(store, call).mockImplementation(never);
  const config = await evaluate((await printOne(planned(text))).code);
  const [target] = config.interfaces;
  if (target === undefined) throw new Error("there is no interface");
  const refused: unknown[] = [];
  const asker = { answer: () => 0, refuse: (refusal: unknown) => void refused.push(refusal) };
  target.durable?.begin(new LiveRun(host, config, target, emptyRequest), { asker });
  expect(await endsInTime(() => refused.length > 0)).toEqual([false, true]);
  expect(refused).toEqual([refusals.runStoreUnavailable]);
  expect(health.isDown).toBe(true);
});

test("a callback", async () => {
  vi.spyOn(engineOf(host).store, "resume").mockImplementation(never);
  let outcome: unknown;
  void resumed(host, "a token", "{}").then((given) => {
    outcome = given;
  });
  expect(await endsInTime(() => outcome !== undefined)).toEqual([false, true]);
  expect(outcome).toEqual(refusals.runStoreUnavailable);
});

test("an answer that was there while the process was busy counts", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = patiently(engineOf(host), promise);
  vi.advanceTimersByTime(10 * patienceMs);
  // Node calls the timers that are due before it reads what has arrived.
  resolve("kept");
  expect(await waiting).toBe("kept");
});

test("an error of the store comes as it is", async () => {
  await expect(patiently(engineOf(host), Promise.reject(new TypeError("a bug")))).rejects.toThrow(new TypeError("a bug"));
});
