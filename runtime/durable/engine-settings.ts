/** How a node holds runs; milliseconds. The times of the store count for leases, those of the node only for how long it trusts one. */
export interface EngineSettings {
  readonly leaseMs: number;
  /** The time between two renewals of leases; those of all runs are renewed in one call. */
  readonly renewMs: number;
  /** How often the engine looks for nodes that have ended, and for runs that another node handed over without telling this one. */
  readonly pollMs: number;
  /** How long the store counts as away when it has not answered, and the longest pause between two tries. */
  readonly outageMs: number;
  /** Runs that the node has taken over at a time. */
  readonly mostTaken: number;
}

export const usualSettings: EngineSettings = { leaseMs: 15_000, renewMs: 5_000, pollMs: 250, outageMs: 1_000, mostTaken: 100 };
