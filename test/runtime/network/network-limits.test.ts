import fc from "fast-check";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type Address, parseAddress } from "#runtime/network/addresses/address.ts";
import { LocalCounts } from "#runtime/network/local-counts.ts";
import { SharedCounts } from "#runtime/network/shared-counts.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { stateOf } from "#runtime/state/open.ts";
import { backends } from "../state/state-stores.ts";

// Rate limits: exact on one node, approximate among several (spec/surfaces 9).

const ip = (text: string): Address => parseAddress(text) ?? 0;
const someone = ip("192.0.2.1");
const limit = { requests: 3, window: 1_000 };

/** The waits of requests at these times: 0 for each that was admitted. */
function asked(times: readonly number[], { requests, window } = limit): number[] {
  let now = 0;
  const counts = new LocalCounts(() => now);
  return times.map((time) => {
    now = time;
    const wait = counts.bucket("s", someone).wait({ requests, window });
    if (wait === 0) counts.bucket("s", someone).count(limit);
    return wait;
  });
}

describe("on one node", () => {
  test("the window slides: a slot is free as soon as the oldest has left it", () => {
    expect(asked([0, 400, 800, 900, 999, 1_000, 1_001, 1_400, 1_401])).toEqual([0, 0, 0, 100, 1, 0, 399, 0, 399]);
  });

  test("never more than the limit in any window, and never fewer than there is room for", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 120 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (gaps, requests) => {
        let now = 0;
        const times = gaps.map((gap) => (now += gap));
        const waits = asked(times, { requests, window: 1_000 });
        const admitted: number[] = [];
        for (const [i, time] of times.entries()) {
          const inWindow = admitted.filter((one) => one > time - 1_000);
          expect(waits[i] === 0).toBe(inWindow.length < requests);
          if (waits[i] === 0) admitted.push(time);
          else expect(waits[i]).toBe((inWindow[0] ?? 0) + 1_000 - time);
        }
      }),
    );
  });

  test("scopes and sources count apart; IPv6 counts by its /64", () => {
    const counts = new LocalCounts(() => 0);
    const full = (scope: string, source: string): boolean => counts.bucket(scope, ip(source)).wait({ requests: 1, window: 1_000 }) > 0;
    counts.bucket("a", ip("2001:db8::1")).count(limit);
    counts.bucket("a", ip("192.0.2.1")).count(limit);
    expect([full("a", "2001:db8::ffff"), full("a", "2001:db8:0:1::1"), full("b", "2001:db8::1")]).toEqual([true, false, false]);
    expect([full("a", "::ffff:192.0.2.1"), full("a", "192.0.2.2")]).toEqual([true, false]);
  });

  test("what is forgotten is given back", () => {
    let now = 0;
    const counts = new LocalCounts(() => now);
    for (; now < 100_000; now += 10) if (counts.bucket("s", someone).wait(limit) === 0) counts.bucket("s", someone).count(limit);
    for (let i = 0; i < 300_000; i++) counts.bucket("s", i).count(limit);
    // The least recently used sources have made room.
    expect(counts.bucket("s", 0).wait({ requests: 1, window: 1_000_000 })).toBe(0);
    expect(counts.bucket("s", 299_999).wait({ requests: 1, window: 1_000_000 })).toBeGreaterThan(0);
  });
});

const all = await backends();
afterAll(async () => {
  for (const backend of all) await backend.close();
});

describe.each(all.filter(({ rows }) => rows !== undefined))("among nodes by way of $name", (backend) => {
  const hosts: Host[] = [];
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  });

  function node(now: () => number): SharedCounts {
    const host = backend.process();
    hosts.push(host);
    return new SharedCounts(async () => stateOf(host), now, host.log);
  }

  test("each learns what the others have let in", async () => {
    let now = Date.now();
    const window = 60_000;
    now -= now % window;
    const scope = `s${now}${Math.random()}`;
    const [a, b] = [node(() => now), node(() => now)];
    const ten = { requests: 10, window };
    for (let i = 0; i < 6; i++) a.bucket(scope, someone).count(ten);
    for (let i = 0; i < 3; i++) b.bucket(scope, someone).count(ten);
    expect([a.bucket(scope, someone).wait(ten), b.bucket(scope, someone).wait(ten)]).toEqual([0, 0]);
    await Promise.all([a.refresh(), b.refresh()]);
    b.bucket(scope, someone).count(ten);
    await b.refresh();
    a.bucket(scope, someone).count(ten);
    await a.refresh();
    expect(a.bucket(scope, someone).wait(ten)).toBeGreaterThan(0);
    b.bucket(scope, someone).count(ten);
    await b.refresh();
    expect(b.bucket(scope, someone).wait(ten)).toBeGreaterThan(0);
    // Half a window later half of what was let in before still counts.
    now += window * 1.5;
    expect(a.bucket(scope, someone).wait({ requests: 7, window })).toBe(0);
    expect(a.bucket(scope, someone).wait({ requests: 5, window })).toBeGreaterThan(0);
    await Promise.all([a.close(), b.close()]);
  });
});

test("a node counts alone while the store does not answer, and says so once", async () => {
  const log: string[] = [];
  const host = createHost({ env: {}, log: (level, msg) => log.push(`${level} ${msg}`) });
  const counts = new SharedCounts(async () => Promise.reject(new Error("gone")), host.now, host.log);
  const two = { requests: 2, window: 3_600_000 };
  counts.bucket("s", someone).count(two);
  await counts.refresh();
  counts.bucket("s", someone).count(two);
  await counts.refresh();
  expect(counts.bucket("s", someone).wait(two)).toBeGreaterThan(0);
  expect(log).toEqual(["warn network: rate limits count on this node alone: Error: gone"]);
  await counts.close();
});

test.each([
  ["true", SharedCounts],
  ["false", LocalCounts],
])("PIPEWRIGHT_CLUSTERED=%s decides how it is counted", async (clustered, kind) => {
  const { networkCounts: counts } = await import("#runtime/network/counts.ts");
  const host = createHost({ env: { PIPEWRIGHT_CLUSTERED: clustered } });
  expect(counts(host)).toBeInstanceOf(kind);
  expect(counts(host)).toBe(counts(host));
  await host.close();
});
