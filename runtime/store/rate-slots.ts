import type { RateLimit } from "./coordination.ts";

/** The slots of a window; requests of one slot are counted together. */
export const slotsOfWindow = 20;

/** Counts of one name: `counts[0]` belongs to `slot`, the others to the slots before it. */
export interface RateSlots {
  readonly slot: number;
  readonly counts: readonly number[];
}

/** Milliseconds of a slot. */
export const slotMs = ({ window }: Pick<RateLimit, "window">): number => Math.max(1, Math.ceil(window / slotsOfWindow));

/**
 * The counts at a time, from the current slot back to the oldest one that overlaps the window. After a clock was put back, the newest slot
 * stays the current one.
 */
export function slotsAt({ slot, counts }: RateSlots, limit: RateLimit, now: number): RateSlots {
  const current = Math.max(slot, Math.floor(now / slotMs(limit)));
  const gone = current - slot;
  if (gone > slotsOfWindow) return { slot: current, counts: [0] };
  return { slot: current, counts: [...Array<number>(gone).fill(0), ...counts].slice(0, slotsOfWindow + 1) };
}

/** Milliseconds until one more request is let in, 0 for now. The counts are those that `slotsAt` gives for `now`. */
export function waitOf({ slot, counts }: RateSlots, limit: RateLimit, now: number): number {
  let left = counts.reduce((sum, count) => sum + count, 0);
  if (left < limit.requests) return 0;
  let oldest = counts.length - 1;
  for (; oldest > 0; oldest--) {
    left -= counts[oldest] ?? 0;
    if (left < limit.requests) break;
  }
  // A slot counts as long as a part of it is in the window.
  return Math.max(1, (slot - oldest + slotsOfWindow + 1) * slotMs(limit) - now);
}

/** Counts one more request in the current slot. */
export const counted = ({ slot, counts: [newest = 0, ...older] }: RateSlots): RateSlots => ({ slot, counts: [newest + 1, ...older] });

/** The time from which no count is in any window. */
export const ratesUntil = ({ slot }: RateSlots, limit: RateLimit): number => (slot + slotsOfWindow + 1) * slotMs(limit);

export const noSlots: RateSlots = { slot: 0, counts: [0] };
