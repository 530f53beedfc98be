import { expect, test } from "vitest";
import { atOnce, inSlices, type Work } from "#runtime/threads/slices.ts";

function* counted(steps: number): Work<number> {
  for (let i = 0; i < steps; i++) yield;
  return steps;
}

/** An action whose clock goes on by 10 ms whenever it is read. */
function worked(controller = new AbortController()) {
  let time = 0;
  return {
    run: { host: { monotonic: () => (time += 10) } },
    signal: controller.signal,
  };
}

test("others have turns between slices", async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await inSlices(counted(300), worked())).toBe(300);
  isOver = true;
  // A slice is 20 ms, and the clock is read once a step.
  expect(turns).toBeGreaterThanOrEqual(90);
});

test("work ends with its action", async () => {
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error("over")));
  await expect(inSlices(counted(1_000_000), worked(controller))).rejects.toThrow("over");
});

test("work at once is the same", () => {
  expect(atOnce(counted(5))).toBe(5);
});
