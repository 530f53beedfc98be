import type { RateLimit } from "./coordination.ts";

/** Parts of a window that are counted together. */
export const slotsOfWindow = 20;

/** Counts of one name: `counts[0]` is that of `slot`, the others belong to the slots before it. */
export interface RateSlots {
  readonly slot: number;
  readonly counts: readonly number[];
}

/** Milliseconds of a slot. */
export const slotMs = ({ window }: Pick<RateLimit, "window">): number => Math.max(1, Math.ceil(window / slotsOfWindow));

/**
 * The counts as they are at that time: those of all slots that reach into the window, the one that goes on first. A clock that was put back
 * goes on with the newest slot.
 */
export function slotsAt({ slot, counts }: RateSlots, limit: RateLimit, now: number): RateSlots {
  const current = Math.max(slot, Math.floor(now / slotMs(limit)));
  const gone = current - slot;
  if (gone > slotsOfWindow) return { slot: current, counts: [0] };
  return { slot: current, counts: [...Array<number>(gone).fill(0), ...counts].slice(0, slotsOfWindow + 1) };
}

/** Milliseconds until one more fits, 0 for now; `at` is what `slotsAt` gives for that time. */
export function waitOf({ slot, counts }: RateSlots, limit: RateLimit, now: number): number {
  let left = counts.reduce((sum, count) => sum + count, 0);
  if (left < limit.requests) return 0;
  let oldest = counts.length - 1;
  for (; oldest > 0; oldest--) {
    left -= counts[oldest] ?? 0;
    if (left < limit.requests) break;
  }
  // The slot counts as long as some of it is in the window.
  return Math.max(1, (slot - oldest + slotsOfWindow + 1) * slotMs(limit) - now);
}

/** One more in the slot that goes on. */
export const counted = ({ slot, counts: [newest = 0, ...older] }: RateSlots): RateSlots => ({ slot, counts: [newest + 1, ...older] });

/** When nothing of the counts is in a window any more. */
export const ratesUntil = ({ slot }: RateSlots, limit: RateLimit): number => (slot + slotsOfWindow + 1) * slotMs(limit);

export const noSlots: RateSlots = { slot: 0, counts: [0] };
