import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Coordination, RateLimit } from "#runtime/store/coordination.ts";
import { draws, seed } from "../../harness/rules/words.ts";
import { backends, minute, type Place } from "./run-stores.ts";

// The agreement of nodes, on every backend: conformance tests 46, 47 and 49 to 51 of the store.

const open: Place[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((place) => place.close()));
});

const schedule = ["orders", "Nightly"];
const hour = 3_600_000;

describe.each(backends)("$name", ({ open: openPlace }) => {
  async function nodes(many: number): Promise<{ readonly place: Place; readonly nodes: readonly Coordination[] }> {
    const place = await openPlace();
    open.push(place);
    return { place, nodes: Array.from({ length: many }, () => place.coordination()) };
  }

  test("of eight nodes one gets each of 300 times, and nobody gets it again", async () => {
    const { nodes: eight } = await nodes(8);
    const taken: number[] = [];
    for (let first = 0; first < 300; first += 50) {
      const slots = Array.from({ length: 50 }, (_, i) => (first + i) * minute);
      await Promise.all(
        eight.flatMap((node, n) => slots.map(async (slot) => ((await node.take(schedule, slot, `n${n}`)) ? taken.push(slot) : undefined))),
      );
    }
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i * minute));
    expect(await eight[0]?.take(schedule, 0, "n0")).toBe(false);
    expect(await eight[0]?.take(["orders", "Hourly"], 0, "n0")).toBe(true);
  }, 60_000);

  test("what was taken is remembered for a week", async () => {
    const { place, nodes: two } = await nodes(2);
    expect(await two[0]?.take(schedule, minute, "a")).toBe(true);
    await place.pass(6 * 24 * hour);
    expect(await two[1]?.take(schedule, minute, "b")).toBe(false);
    await place.pass(2 * 24 * hour);
    expect(await two[1]?.take(schedule, minute, "b")).toBe(true);
  });

  test("a sole right has one holder, whose epoch is larger than all before", async () => {
    const { place, nodes: many } = await nodes(8);
    const [a] = many;
    if (a === undefined) return;
    const first = await Promise.all(many.map((node, n) => node.lease("nightly", `n${n}`, minute)));
    expect(first.filter((epoch) => epoch !== undefined)).toEqual([1]);
    await place.pass(minute / 2);
    expect(await a.extend("nightly", 1, minute)).toBe(true);
    await place.pass(minute / 2 + 1_000);
    expect(await a.lease("nightly", "late", minute)).toBeUndefined();
    await place.pass(minute);
    // The right has lapsed: one of eight gets it, and the holder from before neither keeps it nor gives it back.
    const second = await Promise.all(many.map((node, n) => node.lease("nightly", `n${n}`, minute)));
    expect(second.filter((epoch) => epoch !== undefined)).toEqual([2]);
    expect(await a.extend("nightly", 1, minute)).toBe(false);
    await a.free("nightly", 1);
    expect(await a.lease("nightly", "late", minute)).toBeUndefined();
    await a.free("nightly", 2);
    expect(await a.extend("nightly", 2, minute)).toBe(false);
    expect(await a.lease("nightly", "late", minute)).toBe(3);
  });

  test("each node learns what the others have, as long as that lasts", async () => {
    const { place, nodes: three } = await nodes(3);
    const [a, b, c] = three;
    if (a === undefined || b === undefined || c === undefined) return;
    expect(await a.tally("detached", "a", 3, minute)).toBe(0);
    expect(await b.tally("detached", "b", 2, minute)).toBe(3);
    expect(await c.tally("detached", "c", 0, minute)).toBe(5);
    expect(await c.tally("other", "c", 7, minute)).toBe(0);
    expect(await a.tally("detached", "a", 1, 2 * minute)).toBe(2);
    expect(await b.tally("detached", "b", 0, minute)).toBe(1);
    expect(await a.tally("detached", "a", 1, 2 * minute)).toBe(0);
    expect(await b.tally("detached", "b", 4, minute)).toBe(1);
    await place.pass(minute + 1_000);
    // The node b has not said another word.
    expect(await c.tally("detached", "c", 0, minute)).toBe(1);
    expect(await b.tally("detached", "b", 5, minute)).toBe(1);
    expect(await a.tally("detached", "a", 0, minute)).toBe(5);
  });

  test("counts of nodes that tally at once are added up", async () => {
    const { nodes: eight } = await nodes(8);
    for (let round = 1; round <= 10; round++) await Promise.all(eight.map((node, i) => node.tally("t", `n${i}`, (i + 1) * round, minute)));
    for (const [i, node] of eight.entries()) expect(await node.tally("t", `n${i}`, (i + 1) * 10, minute)).toBe(360 - (i + 1) * 10);
  });

  const limit = (name: string, requests: number, window = 20 * hour): RateLimit => ({ name, requests, window });

  test("eight nodes that ask at once let in as many as the limit", async () => {
    const { nodes: eight } = await nodes(8);
    const waits = await Promise.all(eight.flatMap((node) => Array.from({ length: 25 }, () => node.hit([limit("s", 60)]))));
    expect(waits.filter(([wait]) => wait === 0)).toHaveLength(60);
    for (const [wait = 0] of waits) expect(wait === 0 || (wait > 18 * hour && wait <= 21 * hour)).toBe(true);
  });

  test("names count apart, and together all or nothing", async () => {
    const { nodes: one } = await nodes(1);
    const hit = async (...limits: RateLimit[]): Promise<boolean[]> => ((await one[0]?.hit(limits)) ?? []).map((wait) => wait === 0);
    expect(await hit(limit("config", 3), limit("a", 1))).toEqual([true, true]);
    expect(await hit(limit("config", 3), limit("a", 1))).toEqual([true, false]);
    expect(await hit(limit("config", 3), limit("b", 9))).toEqual([true, true]);
    // A request that was refused by one of them counted for none.
    expect(await hit(limit("config", 3), limit("b", 9))).toEqual([true, true]);
    expect(await hit(limit("config", 3), limit("b", 9))).toEqual([false, true]);
    expect(await hit(limit("b", 9))).toEqual([true]);
  });

  const examples = draws(30);
  test(
    `never more than the limit in any window, and none refused without as many in a window and its twentieth; ${examples} times, seed ${seed}`,
    async () => {
      const { place, nodes: three } = await nodes(3);
      const steps = fc.array(fc.record({ hours: fc.nat({ max: 12 }), node: fc.nat({ max: 2 }), times: fc.integer({ min: 1, max: 3 }) }), {
        maxLength: 20,
      });
      let names = 0;
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (all, requests) => {
          const name = `source ${++names}`;
          const admitted: number[] = [];
          let now = 0;
          for (const { hours, node, times } of all) {
            await place.pass(hours * hour);
            now += hours;
            const waits = await Promise.all(Array.from({ length: times }, () => three[node]?.hit([limit(name, requests)])));
            for (const [wait = -1] of waits.map((each) => each ?? []).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))) {
              if (wait === 0) admitted.push(now);
              else expect(admitted.filter((time) => now - time <= 21).length).toBeGreaterThanOrEqual(requests);
              expect(admitted.filter((time) => now - time < 20).length).toBeLessThanOrEqual(requests);
            }
          }
        }),
        { numRuns: examples, seed, endOnFailure: true },
      );
    },
    60_000 + examples * 5_000,
  );

  test("a wait that was told is enough", async () => {
    const { place, nodes: one } = await nodes(1);
    const [node] = one;
    if (node === undefined) return;
    const tight = limit("s", 2);
    expect([await node.hit([tight]), await node.hit([tight])]).toEqual([[0], [0]]);
    for (let round = 0; round < 3; round++) {
      const [wait = 0] = await node.hit([tight]);
      expect(wait).toBeGreaterThan(0);
      await place.pass(Math.ceil(wait / hour) * hour);
      expect(await node.hit([tight])).toEqual([0]);
      expect(await node.hit([tight])).toEqual([0]);
    }
  });
});
