import type { Engine } from "./engine.ts";
import { Loop } from "./timers.ts";

/** Milliseconds between two looks for old runs, and from the start of the process to the first one. */
const lookMs = 60_000;

/** Milliseconds until the next look while the last call has removed runs; the pause lets other calls of the store through. */
const nextMs = 100;

/** Milliseconds for which memory keeps ended runs: only this process could show them. */
const keptInMemoryMs = 60_000;

/**
 * Removes durable runs that ended `keptMs` milliseconds ago. Every node does so: the store removes a bounded number in one call, from
 * whatever node it comes. The loop ends with the engine.
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
