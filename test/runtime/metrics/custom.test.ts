import { expect, test } from "vitest";
import { CustomMetrics, type Keeper } from "#runtime/metrics/custom.ts";
import type { Measurement } from "#runtime/metrics/meter.ts";

// Names and labels of metrics may be data: a sender of such data neither fills the memory nor spoils the figures.

const of = { config: "c", interface: "i", action: "A" };
const one: Measurement = { name: "m", type: "counter", value: 1, labels: {}, description: undefined };

function metrics() {
  const made: { name: string; type: string }[] = [];
  const recorded: Readonly<Record<string, string>>[] = [];
  const log: string[] = [];
  const keeper: Keeper = {
    present: () => made,
    make: ({ name, type }) => {
      made.push({ name, type });
      return (labels) => void recorded.push(labels);
    },
  };
  const custom = new CustomMetrics(keeper, (level, msg) => void log.push(`${level} ${msg}`));
  const record = (more: Partial<Measurement>): void => custom.record(of, { ...one, ...more });
  return { made, recorded, log, record };
}

test("a process has 1,000 metrics of configurations, and keeps them", () => {
  const { made, recorded, log, record } = metrics();
  for (let i = 0; i < 1_010; i++) record({ name: `m${i}` });
  record({ name: "m0" });
  expect([made.length, recorded.length]).toEqual([1_000, 1_001]);
  expect(log).toEqual(["warn there are 1000 metrics: further ones are not recorded"]);
});

test("all metrics together have 100,000 series", () => {
  const { recorded, log, record } = metrics();
  for (let i = 0; i < 110; i++) for (let k = 0; k < 1_000; k++) record({ name: `m${i}`, labels: { k } });
  record({ name: "m0", labels: { k: 0 } });
  record({ name: "m109", labels: { k: 0 } });
  expect(recorded).toHaveLength(100_001);
  expect(log).toEqual(["warn metrics have 100000 series: further ones are not recorded"]);
});

test("texts that are written alike are one series", () => {
  const { recorded, record } = metrics();
  record({ labels: { a: "\ud800x" } });
  expect(recorded[0]?.a).toBe("\ufffdx");
});
