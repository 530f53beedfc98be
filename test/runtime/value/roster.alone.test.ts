import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Roster } from "#runtime/value/roster.ts";

type Collect = (options?: { readonly type: "minor" | "major" }) => void;

setFlagsFromString("--expose-gc");
// The flag adds the function to contexts that are made after it.
const collect = runInNewContext("gc") as Collect;

/** Bytes of objects that have outlived two collections of young ones, or more. */
const oldBytes = (): number => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0;

test("members that have left are gone with the young objects, however old the roster is", () => {
  const roster = new Roster<{ readonly payload: number[] }>();
  const present: (() => void)[] = [];
  // The second collection makes an old object of it.
  collect();
  collect();
  const before = oldBytes();
  for (let i = 0; i < 50_000; i++) {
    // Some 60 MB pass through, of which four members are present at a time. A Set in its place left 4 MB behind.
    present.push(roster.add({ payload: Array.from({ length: 150 }, (_, k) => i + k) }));
    if (present.length > 4) present.shift()?.();
    if (i % 500 === 0) collect({ type: "minor" });
  }
  expect(oldBytes() - before).toBeLessThan(1_000_000);
  expect(roster.size).toBe(4);
});
