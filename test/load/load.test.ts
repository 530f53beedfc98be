import { expect, test } from "vitest";
import { drain } from "./drain.ts";
import { malformed } from "./malformed.ts";
import { mixed } from "./mixed.ts";

// A few seconds of what test/load/main.ts does for minutes.

test("idle, slow and hostile connections hold up nobody", async () => {
  const { failures, answered, p99, peakMiB, processor, exit, opened } = await mixed({ connections: 600, seconds: 4, rate: 100 });
  expect(failures).toEqual([]);
  expect([answered, exit]).toEqual([300, 0]);
  expect(opened).toBeGreaterThanOrEqual(536);
  // On a machine that others use a tenth of a second is no bound for a test: what it has waited for a processor is theirs.
  expect(p99).toBeLessThan(1_000 + 1_000 * (processor.waited || 0));
  expect(peakMiB).toBeLessThan(700);
});

test("what is no HTTP harms nobody", async () => {
  const { failures, sent, exit } = await malformed(3);
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(100);
  expect(exit).toBe(0);
});

test.each([1, 2])("SIGTERM under load loses no request that was taken; workers: %s", async (workers) => {
  const { lost, answered, exit } = await drain(16, ["--workers", `${workers}`]);
  expect(lost).toEqual([]);
  expect(answered).toBeGreaterThan(50);
  expect(exit).toBe(0);
});
