import { getHeapSpaceStatistics } from "node:v8";
import { expect, test } from "vitest";
import { youngCollector } from "../../../compiler/cli/dev/young-collector.ts";

const youngBytes = (): number => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_used_size ?? 0;

test("garbage among the young objects is gone at once", () => {
  const collect = youngCollector();
  collect();
  const before = youngBytes();
  // V8 may look for garbage by itself on the way.
  while (youngBytes() - before < 300_000) for (let i = 0; i < 100; i++) JSON.parse('{"a":[1,2,3]}');
  collect();
  expect(youngBytes() - before).toBeLessThan(150_000);
});
