import { expect, test } from "vitest";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { newRun, of } from "./run-stores.ts";

// The memory of durable runs without a store is bounded (spec/surfaces 14).

test("the oldest runs that are over make room for others; none that goes on does", async () => {
  const runs = new MemoryRuns(() => 1_700_000_000_000);
  const input = "x".repeat(20_000_000);
  const made = Array.from({ length: 6 }, () => newRun({ input }));
  for (const run of made) await runs.create({ ...run, lease: of("a") });
  const end = (run: { readonly id: string } | undefined, epoch = 1) =>
    runs.checkpoint({ id: run?.id ?? "", epoch }, [], { finish: { status: "failed", result: "" } });
  const kept = async (): Promise<readonly number[]> => {
    const rows = await runs.list({ limit: 10 });
    return made.flatMap(({ id }, n) => (rows.some((row) => row.id === id) ? [n] : []));
  };
  for (const n of [1, 2, 3]) await end(made[n]);
  expect(await kept()).toEqual([0, 1, 2, 3, 4, 5]);
  await end(made[4]);
  expect(await kept()).toEqual([0, 2, 3, 4, 5]);
  // A run that is tried again goes on.
  await runs.retry(made[2]?.id ?? "", []);
  await end(made[5]);
  expect(await kept()).toEqual([0, 2, 3, 4, 5]);
  await end(made[0]);
  expect(await kept()).toEqual([0, 2, 4, 5]);
  await runs.prune(1_800_000_000_000);
  expect(await kept()).toEqual([2]);
  runs.close();
});
