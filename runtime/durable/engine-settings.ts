/**
 * How a node holds runs; all times are milliseconds. Leases end by the clock of the store; the clock of the node only says for how long the
 * node relies on a lease.
 */
export interface EngineSettings {
  readonly leaseMs: number;
  /** The time between two renewals of leases; one call renews those of all runs. */
  readonly renewMs: number;
  /** How often the engine looks for nodes that have ended, and for runs that another node handed over without a notification. */
  readonly pollMs: number;
  /** How long the store counts as away after a call without an answer, and the longest pause between two tries. */
  readonly outageMs: number;
  /** The most runs, begun elsewhere or earlier, that the node holds at a time. */
  readonly mostTaken: number;
}

export const usualSettings: EngineSettings = { leaseMs: 15_000, renewMs: 5_000, pollMs: 250, outageMs: 1_000, mostTaken: 100 };
