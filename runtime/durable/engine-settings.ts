/** How a node holds runs; milliseconds. The times of the store count for leases, those of the node only for how long it trusts one. */
export interface EngineSettings {
  readonly leaseMs: number;
  /** Leases are renewed so often, those of all runs in one call. */
  readonly renewMs: number;
  /** Nodes are looked for that have ended, and runs that are due without a word to this node: those that another one hands over. */
  readonly probeMs: number;
  /** How long the store counts as away when it has not answered, and the longest pause between two tries. */
  readonly pollMs: number;
  /** Runs that the node has taken over at a time. */
  readonly mostTaken: number;
}

export const usualSettings: EngineSettings = { leaseMs: 15_000, renewMs: 5_000, probeMs: 250, pollMs: 1_000, mostTaken: 100 };
