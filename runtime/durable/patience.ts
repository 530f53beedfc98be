import { Outage } from "../store/outage.ts";
import type { Engine } from "./engine.ts";

/**
 * Milliseconds that a caller waits for the store before it gets an error. The error must arrive within a second: the remaining time is for
 * a process whose processor is overloaded.
 */
export const patienceMs = 800;

/**
 * Waits for the store for `patienceMs`, whatever timeouts the call itself has. Rejects with an `Outage` after that; the call may still take
 * effect.
 */
export async function patiently<Answer>({ timers }: Pick<Engine, "timers">, asked: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // An answer that arrived while the process was busy is read before the immediate runs.
  const giveUp = (): void => void setImmediate(() => reject(new Outage(`it has not answered in ${patienceMs} ms`)));
  const inTime = timers.after(patienceMs, giveUp);
  try {
    return await Promise.race([asked, late]);
  } finally {
    inTime();
  }
}
