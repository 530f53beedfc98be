import type { Resource } from "../process/host.ts";

/** At most so many in any window of so many milliseconds, counted under a name. */
export interface RateLimit {
  readonly name: string;
  readonly requests: number;
  readonly window: number;
}

/**
 * The agreement of the nodes of a service. Every operation is one atomic step for all nodes that use the store, by the clock of the store.
 * It rejects when the store does not answer: then it may have happened or not.
 */
export interface Coordination extends Resource {
  /**
   * Gives a time of a schedule, which its names tell, to exactly one caller of all nodes: true for the first. It is remembered for a week.
   */
  readonly take: (schedule: readonly string[], slot: number, node: string) => Promise<boolean>;
  /** Gives a sole right for so many milliseconds: its epoch, which is larger than all before; undefined while another holder has it. */
  readonly lease: (name: string, node: string, ms: number) => Promise<number | undefined>;
  /** Makes a right last that many milliseconds from now; false when it has lapsed and another has taken it, or it was given back. */
  readonly extend: (name: string, epoch: number, ms: number) => Promise<boolean>;
  /** Gives a right back. One that has gone to another holder stays where it is. */
  readonly free: (name: string, epoch: number) => Promise<void>;
  /**
   * Counts one more under all of these names, or under none when one of the limits is reached. Gives for each the milliseconds until it
   * lets one more in, 0 for now. Counts last up to a twentieth of the window longer than the window, so that never more than the limit are
   * in one.
   */
  readonly hit: (limits: readonly RateLimit[]) => Promise<readonly number[]>;
  /**
   * Stores under a name, for so many milliseconds, how many of something this node has: 0 is stored as nothing. Gives the sum of what the
   * other nodes have stored and what still lasts.
   */
  readonly tally: (name: string, node: string, count: number, ms: number) => Promise<number>;
  /** The time by the clock of the store. */
  readonly now: () => Promise<number>;
}

/** Milliseconds for which it is remembered that a time was taken. */
export const takenMs = 7 * 86_400_000;

/** How often an operation also removes what is over. */
export const sweepEvery = 500;

/** How many rows one sweep removes. */
export const sweptAtOnce = 1_000;
