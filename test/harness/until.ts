import { vi } from "vitest";

/** Milliseconds after which a wait fails. The limit is generous and measures nothing, because every wait takes longer on a busy machine. */
export const alarm = 60_000;

/** Repeats the check until it does not throw, and returns its value. After `alarm` the last error is thrown. */
export function until<V>(check: () => V | Promise<V>): Promise<V> {
  // With fake timers each interval moves the clock.
  return vi.waitFor(check, { timeout: alarm, interval: vi.isFakeTimers() ? 50 : 10 });
}

/** Repeats the question until the answer is truthy. */
export async function untilTrue(question: () => unknown | Promise<unknown>): Promise<void> {
  await until(async () => {
    if (!(await question())) throw new Error(`this has not happened within ${alarm / 1_000} s: ${question}`);
  });
}
