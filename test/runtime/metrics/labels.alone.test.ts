import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { CustomMetrics } from "#runtime/metrics/custom.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // V8 has it by this flag

test("a label that is cut does not keep the long text in memory", () => {
  const kept: unknown[] = [];
  const keeper = { present: () => [], make: () => (labels: object) => void kept.push(labels) };
  const metrics = new CustomMetrics(keeper, () => undefined);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 50; i++) {
    const { v } = JSON.parse(JSON.stringify({ v: `${i} `.padEnd(1_000_000, "x") })) as { v: string };
    metrics.record({ config: "c", interface: "i", action: "A" }, { name: "m", type: "counter", value: 1, labels: { v }, description: "" });
  }
  collect();
  expect(kept).toHaveLength(50);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
});
