import { vi } from "vitest";

/** A wait this long is a failure. It is an alarm and no measure: a busy machine stretches whatever a test waits for. */
export const alarm = 60_000;

/** Asks again and again until the check throws no more, and gives its value. The last error is thrown when the alarm goes. */
export function until<V>(check: () => V | Promise<V>): Promise<V> {
  // A virtual clock goes on by the interval.
  return vi.waitFor(check, { timeout: alarm, interval: vi.isFakeTimers() ? 50 : 10 });
}

/** Asks again and again until the answer is yes. */
export async function untilTrue(question: () => unknown | Promise<unknown>): Promise<void> {
  await until(async () => {
    if (!(await question())) throw new Error(`this has not happened within ${alarm / 1_000} s: ${question}`);
  });
}
