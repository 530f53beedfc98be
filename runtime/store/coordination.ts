import type { Resource } from "../process/host.ts";

/** At most `requests` in any `window` of milliseconds, counted under a name. */
export interface RateLimit {
  readonly name: string;
  readonly requests: number;
  readonly window: number;
}

/**
 * The coordination between the nodes of a service. Every operation is one atomic step for all nodes that use the store, by the clock of the
 * store. It rejects when the store does not answer: the operation may then have happened or not.
 */
export interface Coordination extends Resource {
  /**
   * Takes a due time (`slot`) of a schedule, whose names `schedule` lists. True for the first caller of all nodes, false for any other. The
   * store remembers it for a week.
   */
  readonly take: (schedule: readonly string[], slot: number, node: string) => Promise<boolean>;
  /**
   * Takes an exclusive right for `ms` milliseconds. Gives its epoch, which is larger than all earlier ones; undefined while another node
   * has the right.
   */
  readonly lease: (name: string, node: string, ms: number) => Promise<number | undefined>;
  /** Extends a right to `ms` milliseconds from now; false when it has expired and another node has taken it, or when it was given back. */
  readonly extend: (name: string, epoch: number, ms: number) => Promise<boolean>;
  /** Gives a right back. A right that another node has taken meanwhile is not touched. */
  readonly free: (name: string, epoch: number) => Promise<void>;
  /**
   * Counts one request under all of these names, or under none when one of the limits is reached. Gives for each limit the milliseconds
   * until it lets one request in, 0 for now. Counts last up to a twentieth of the window longer than the window, so that no window ever
   * holds more than the limit.
   */
  readonly hit: (limits: readonly RateLimit[]) => Promise<readonly number[]>;
  /**
   * Stores a count of this node under a name, for `ms` milliseconds; 0 removes it. Gives the sum of the counts of the other nodes that have
   * not expired.
   */
  readonly tally: (name: string, node: string, count: number, ms: number) => Promise<number>;
  /** The time by the clock of the store. */
  readonly now: () => Promise<number>;
}

/** Milliseconds for which a taken time of a schedule is remembered. */
export const takenMs = 7 * 86_400_000;

/** One in this many operations also removes expired rows. */
export const sweepEvery = 500;

/** The number of rows that one sweep removes. */
export const sweptAtOnce = 1_000;
