import { afterEach, expect, test, vi } from "vitest";
import { inTurns } from "../../../compiler/7-link/turns.ts";

afterEach(() => vi.restoreAllMocks());

/** Two numbers, each of which keeps the process busy for so many milliseconds. */
function working(ms: number, seen: string[]): Iterable<number> {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  function* items(): Generator<number> {
    for (const n of [1, 2]) {
      now += ms;
      seen.push(`made ${n}`);
      yield n;
    }
  }
  return items();
}

test.each([
  ["a long work", 5, ["made 1", "took 1", "other", "made 2", "took 2"]],
  ["a short work", 1, ["made 1", "took 1", "made 2", "took 2"]],
])("others have their turn in %s only where it takes long", async (_, ms, order) => {
  const seen: string[] = [];
  const other = new Promise<void>((resolve) => setImmediate(() => resolve(void seen.push("other"))));
  expect(await inTurns(working(ms, seen), (n) => seen.push(`took ${n}`))).toEqual([1, 2]);
  expect(seen).toEqual(order);
  await other;
});

test("an error of the work is that of the caller", async () => {
  function* broken(): Generator<number> {
    yield 1;
    throw new Error("broken");
  }
  await expect(inTurns(broken())).rejects.toThrow("broken");
});
