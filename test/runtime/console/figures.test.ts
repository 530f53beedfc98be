import { expect, test } from "vitest";
import { Figures } from "#runtime/console/figures.ts";
import { createHost } from "#runtime/process/host.ts";

// Figures of the console: counted in bars of five seconds, with percentiles of the latest runs.

function clocked() {
  let now = 0;
  const host = { ...createHost({ env: {} }), monotonic: () => now };
  const figures = new Figures(host);
  const run = (ms: number, status: number): void => {
    const ends = figures.begins({ config: "c", interface: "i" });
    now += ms;
    ends(status);
  };
  const wait = (ms: number): void => {
    now += ms;
  };
  return { figures, run, wait };
}

test("statuses are classes, durations are percentiles", () => {
  const { figures, run } = clocked();
  for (let ms = 1; ms <= 100; ms++) run(ms, ms <= 90 ? 200 : ms <= 97 ? 404 : 500);
  expect(figures.list(undefined, undefined)).toMatchObject([
    { config: "c", interface: "i", runs: 100, refused: 7, failed: 3, p50: 50, p95: 95 },
  ]);
  expect(figures.list("other", undefined)).toEqual([]);
});

test("bars move on with time, and what is long ago leaves them", () => {
  const { figures, run, wait } = clocked();
  run(1, 200);
  run(1, 503);
  wait(5_000);
  run(1, 200);
  const bars = () => {
    const [figure] = figures.list("c", "i") as { bars: number[]; failed_bars: number[] }[];
    return [figure?.bars.slice(-3), figure?.failed_bars.slice(-3), figure?.bars.length];
  };
  expect(bars()).toEqual([[0, 2, 1], [0, 1, 0], 24]);
  wait(5_000);
  expect(bars()).toEqual([[2, 1, 0], [1, 0, 0], 24]);
  wait(600_000);
  expect(bars()).toEqual([[0, 0, 0], [0, 0, 0], 24]);
  const [figure] = figures.list("c", "i");
  expect(figure).toMatchObject({ runs: 3, failed: 1, bars: Array(24).fill(0) });
});
