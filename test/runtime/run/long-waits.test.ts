import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { timersOf } from "#runtime/durable/timers.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { longestWait } from "#runtime/value/duration.ts";
import { ask, compiled } from "../../harness/captured.ts";

// Node fires a timer of more than 24.8 days at once, and warns of it: no wait of a configuration may be taken for none.

const config = `
name: long
interfaces:
  items:
    actions:
      - name: Loop
        lookup: a|body|
        item_timeout: 25d
        actions: [{ name: Item, delay: 5ms }]
`;

const warnings: string[] = [];
const heard = ({ name }: Error): void => void (name === "TimeoutOverflowWarning" && warnings.push(name));

const hosts: Host[] = [];
beforeEach(() => {
  warnings.length = 0;
  process.on("warning", heard);
});
afterEach(async () => {
  process.off("warning", heard);
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

/** Warnings are told at the end of the turn in which they were found. */
const warned = (): Promise<readonly string[]> => new Promise((resolve) => setImmediate(() => resolve(warnings)));

function hostOf(): Host {
  const host = createHost({ env: {}, log: () => undefined });
  hosts.push(host);
  return host;
}

describe.each([false, true])("interpreted: %s", (interpret) => {
  test("an item has longer than a timer of Node can wait", async () => {
    expect(await ask(hostOf(), await compiled(config, { interpret }), "items", { body: [1] })).toBe(200);
    expect(await warned()).toEqual([]);
  });
});

test("a sleep is as long as it should be, until its signal ends it", async () => {
  const signal = new AbortController();
  const sleep = hostOf().sleep(longestWait + 1, signal.signal);
  expect(await warned()).toEqual([]);
  signal.abort();
  await expect(sleep).rejects.toThrow();
});

test("a sleep of no time lets others have a turn", async () => {
  let isOver = false;
  const sleep = hostOf()
    .sleep(0, new AbortController().signal)
    .then(() => {
      isOver = true;
    });
  await Promise.resolve();
  expect(isOver).toBe(false);
  await sleep;
});

test("a timer of the engine of durable runs does not call early", async () => {
  const cancel = timersOf(() => performance.now()).after(longestWait + 1, () => expect.fail("it has called"));
  expect(await warned()).toEqual([]);
  cancel();
});
