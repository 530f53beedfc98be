import { Outage } from "../store/outage.ts";
import type { Engine } from "./engine.ts";

/**
 * Milliseconds that a caller waits for the store before it is told that there is none. It is told so within a second: the rest is for a
 * process that has more to do than its processor can.
 */
export const patienceMs = 800;

/**
 * Waits for the store as long as its caller does, however many timeouts are on the way there. Rejects with an `Outage` then: what was asked
 * may still happen.
 */
export async function patiently<Answer>({ timers }: Pick<Engine, "timers">, asked: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // An answer that has arrived while the process was busy is read before the immediate.
  const giveUp = (): void => void setImmediate(() => reject(new Outage(`it has not answered in ${patienceMs} ms`)));
  const inTime = timers.after(patienceMs, giveUp);
  try {
    return await Promise.race([asked, late]);
  } finally {
    inTime();
  }
}
