import type { Resource } from "../process/host.ts";

/** A run that begins, as it is stored. Times are Unix milliseconds by the clock of the store (spec/surfaces 14). */
export interface NewRun {
  readonly id: string;
  readonly config: string;
  readonly interface: string;
  /** Hash of the bundle that has accepted the run. */
  readonly bundle: string;
  /** Hash of the plan from the first open action on: any bundle that has this plan can go on with the run. */
  readonly plan: string;
  /** A text of any length; sealed, where a key is configured. */
  readonly input: string;
  readonly seed: string;
  /** For 24 hours another run of the interface with this key is the first one again. */
  readonly dedupeKey?: string | undefined;
  /** When the run is due; at once when absent. */
  readonly wakeAt?: number | undefined;
  /** How many runs of the interface may be due or under way. Runs that sleep or wait do not count. */
  readonly quota?: number | undefined;
  /** The node that begins the run itself: it holds the run with epoch 1 as if it had claimed it. */
  readonly lease?: Lease | undefined;
}

/** The right of a node to go on with a run, for so many milliseconds. */
export interface Lease {
  readonly node: string;
  readonly ms: number;
}

/** `epoch` is what the caller holds: 1 with a lease, 0 without one or where the run was there before. */
export interface Created {
  readonly id: string;
  readonly created: boolean;
  readonly epoch: number;
}

/** The output of an action, or of one item of a loop, under its path. */
export interface Checkpoint {
  readonly path: string;
  readonly output: string;
}

/** A token that the run waits for: whoever has it may send a payload once, until `until`. */
export interface Wait {
  readonly path: string;
  /** SHA-256 of the token, as hexadecimal digits: the token itself is never stored. */
  readonly tokenHash: string;
  readonly until: number;
}

/** A wait whose path has no checkpoint yet. It is `expired` when its time was over at the claim and nobody had sent anything. */
export interface OpenWait {
  readonly path: string;
  /** SHA-256 of the token, in hexadecimal. */
  readonly tokenHash: string;
  readonly state: "open" | "resumed" | "expired";
  /** The payload that has resumed the wait; absent in any other state. */
  readonly payload?: string;
}

export interface ClaimedRun {
  readonly id: string;
  readonly config: string;
  readonly interface: string;
  readonly bundle: string;
  readonly plan: string;
  readonly input: string;
  readonly seed: string;
  readonly epoch: number;
  /** In the order in which they were stored. */
  readonly checkpoints: readonly Checkpoint[];
  readonly waits: readonly OpenWait[];
  /** Milliseconds that the run has been in the store. */
  readonly age: number;
}

/** A run that a node holds, as it knows it. */
export interface Held {
  readonly id: string;
  readonly epoch: number;
}

/** How a run has ended by itself. */
export interface Finish {
  readonly status: "done" | "failed";
  readonly result: string;
}

/** Changes of the run that come with a checkpoint. Without any of these the node goes on. */
export interface Then {
  /** Hash of the plan from the action on that is the first open one now. */
  readonly plan?: string | undefined;
  /** A token that can be used from now on, whether the run has come to its wait or not. */
  readonly wait?: Wait | undefined;
  /** The node lets go of the run: it is due at `at`, else at the earliest end of its open waits, or at once where one is resumed. */
  readonly release?: { readonly at?: number | undefined } | undefined;
  readonly finish?: Finish | undefined;
}

/** `open`: due at its time, or under way. `waiting`: nobody holds it, and it waits for a token. The others are over. */
export const runStatuses = ["open", "waiting", "done", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** A run as lists show it. */
export interface RunRow {
  readonly id: string;
  readonly config: string;
  readonly interface: string;
  readonly bundle: string;
  readonly plan: string;
  readonly status: RunStatus;
  readonly epoch: number;
  /** The node that holds the run; null when none does. */
  readonly node: string | null;
  /** When the run is due, or the lease of its node over; null for a run that is over. */
  readonly due: number | null;
  readonly created: number;
  /** When the run was over, or null. */
  readonly ended: number | null;
}

export interface RunDetails extends RunRow {
  /** Paths of the actions that are settled, and of their tokens, in order. */
  readonly settled: readonly string[];
  readonly waits: readonly (Wait & { readonly state: OpenWait["state"] })[];
  /** The text that was stored at the end, or null. */
  readonly result: string | null;
}

/** How many rows one list gives at most. */
export const maxListed = 1_000;

export interface RunsFilter {
  readonly status?: RunStatus | undefined;
  readonly config?: string | undefined;
  readonly interface?: string | undefined;
  /** Runs that are not over, and were due before that time: nobody has claimed them, or their nodes are gone. */
  readonly dueBefore?: number | undefined;
  /** The id after which the list goes on: newest runs come first. */
  readonly after?: string | undefined;
  /** 1 to 1,000; 100 when absent. */
  readonly limit?: number | undefined;
}

export type Resumed = { readonly state: "resumed" | "already"; readonly id: string } | { readonly state: "unknown" };

/** Told false when others may take the node for gone although it lives, and end its leases; true when they cannot any more. */
export type Told = (isSeen: boolean) => void;

/**
 * Durable runs of one organisation and environment: those of others are unknown here. Every operation is one atomic step for all nodes
 * that use the store. It rejects with an outage (`isOutage`) when the store does not answer: then it may have happened or not, and the same
 * call again is safe. Any other error comes again with the same call.
 */
export interface RunStore extends Resource {
  /** True when what it keeps outlives the process. */
  readonly isLasting: boolean;
  /** Stores a run, once for an id. `quota`: as many as may be are due or under way. */
  readonly create: (run: NewRun) => Promise<Created | "quota">;
  /**
   * Takes runs that are due, in the order of their times: those that nobody holds, or whose lease is over, with one of these plans. Each
   * claim raises the epoch by 1, and no two callers get a run with one epoch. It takes what others are not just claiming.
   */
  readonly claim: (lease: Lease, plans: readonly string[], limit: number) => Promise<readonly ClaimedRun[]>;
  /** Makes the leases of these runs anew; gives the ids of those that the node does not hold any more. */
  readonly renew: (lease: Lease, held: readonly Held[]) => Promise<readonly string[]>;
  /**
   * Stores outputs and what becomes of the run, all or nothing, when the epoch is that of the last claim and the run is not over. A path
   * that has an output keeps it, so the same call again is "ok".
   */
  readonly checkpoint: (held: Held, points: readonly Checkpoint[], then: Then) => Promise<"ok" | "fenced">;
  /** Gives a waiting run its payload. Only the first caller is told "resumed"; a token that is over, or the wait for it, is unknown. */
  readonly resume: (tokenHash: string, payload: string) => Promise<Resumed>;
  /** Ends a run. Its node is refused from then on. */
  readonly cancel: (id: string) => Promise<"cancelled" | "over" | "unknown">;
  /**
   * Makes a run due at once that has failed or was cancelled. Results under these paths are forgotten, waits included; their bytes still
   * count.
   */
  readonly retry: (id: string, again: readonly string[]) => Promise<"due" | "refused" | "unknown">;
  /** Ends the leases of a node that is known to be gone; gives how many there were. */
  readonly expireNode: (node: string) => Promise<number>;
  /** Says that this process is the node, until the store is closed, so that others notice its end at once and not by its leases alone. */
  readonly attend: (node: string, told?: Told) => Promise<void>;
  /** Writes some pages that mean nothing: it rejects while the disk takes none. Pruning removes them. */
  readonly probe: (node: string) => Promise<void>;
  /** Ends the leases of nodes whose processes are known to have ended; gives how many there were. Nothing is risked: epochs decide. */
  readonly expireGone: () => Promise<number>;
  /** Milliseconds until a run of these plans can be claimed, 0 when one can be now; undefined when there is none. */
  readonly nextDue: (plans: readonly string[]) => Promise<number | undefined>;
  readonly list: (filter: RunsFilter) => Promise<readonly RunRow[]>;
  readonly show: (id: string) => Promise<RunDetails | undefined>;
  /** The outputs of a run, in the order in which they were stored; none where there is no such run. */
  readonly outputs: (id: string) => Promise<readonly Checkpoint[]>;
  /** Runs that are not over and whose plan is none of these: no node with these plans can go on with them. */
  readonly stuck: (plans: readonly string[], limit: number) => Promise<readonly RunRow[]>;
  /** Removes runs that were over before that time, a bounded number at once; gives how many. */
  readonly prune: (before: number) => Promise<number>;
  /** The time by the clock of the store. */
  readonly now: () => Promise<number>;
}
