import { expect, test } from "vitest";
import { Demand, type Load } from "#runtime/outgoing/demand.ts";

/** For each of the looks, 100 ms apart: true when the usual 64 connections are found enough. `ended` calls end between two looks. */
function looks(count: number, load: Load, ended: number): boolean[] {
  const demand = new Demand(64, 100, 0);
  return Array.from({ length: count }, (_, look) => {
    for (let i = 0; i < ended; i++) demand.ended();
    return demand.isUsual(load, (look + 1) * 100);
  });
}

const [never, atLast] = [Array(12).fill(false), [...Array(9).fill(false), true, true, true]];

test("a slow service needs its connections: with fewer, calls would wait", () => {
  // 256 calls of a second each: a call would wait for three seconds.
  expect(looks(12, { busy: 256, waiting: 0 }, 26)).toEqual(never);
});

test("a process that is busy itself does not need them: with fewer, each call is faster", () => {
  // 2,000 calls end in 100 ms, so that each takes 12.8 ms.
  expect(looks(12, { busy: 256, waiting: 64 }, 2_000)).toEqual(atLast);
});

test("without calls none are needed; where no call ends, all are", () => {
  expect(looks(12, { busy: 0, waiting: 0 }, 0)).toEqual(atLast);
  expect(looks(12, { busy: 65, waiting: 0 }, 0)).toEqual(never);
});

test("a burst begins the count of looks anew", () => {
  const demand = new Demand(1, 100, 0);
  const quiet = { busy: 0, waiting: 0 };
  for (let look = 1; look < 10; look++) expect(demand.isUsual(quiet, look * 100)).toBe(false);
  expect(demand.isUsual({ busy: 9, waiting: 9 }, 1_000)).toBe(false);
  for (let look = 1; look < 10; look++) expect(demand.isUsual(quiet, 1_000 + look * 100)).toBe(false);
  expect(demand.isUsual(quiet, 2_000)).toBe(true);
});
