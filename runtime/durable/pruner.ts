import type { Engine } from "./engine.ts";
import { Loop } from "./timers.ts";

/** Milliseconds between two looks for old runs, and from the start of the process to the first one. */
const lookMs = 60_000;

/** Milliseconds until the next look while there is more than one call removes: other calls of the store get their turn. */
const nextMs = 100;

/** Milliseconds for which memory keeps runs that are over: nobody but the process itself could look at them. */
const keptInMemoryMs = 60_000;

/**
 * Removes durable runs that were over for `keptMs` milliseconds, on every node: the store removes a bounded number in one call, and does
 * not mind who asks. It ends with the engine.
 */
export function prune(engine: Engine, keptMs: number): void {
  const retentionMs = engine.isLasting ? keptMs : Math.min(keptMs, keptInMemoryMs);
  const loop = new Loop(engine.timers, async () => {
    if (engine.isClosed) return undefined;
    try {
      const removed = await engine.store.prune((await engine.store.now()) - retentionMs);
      return removed > 0 ? nextMs : lookMs;
    } catch (error) {
      engine.health.failed(error);
      return lookMs;
    }
  });
  loop.start(lookMs);
}
