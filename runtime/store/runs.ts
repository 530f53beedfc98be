import type { Resource } from "../process/host.ts";

/** A run that begins, as it is stored. Times are Unix milliseconds by the clock of the store (spec/surfaces 14). */
export interface NewRun {
  readonly id: string;
  readonly config: string;
  readonly interface: string;
  /** Hash of the bundle that has accepted the run. */
  readonly bundle: string;
  /** Hash of the plan from the first open action on: any bundle with this plan can continue the run. */
  readonly plan: string;
  /** The request with its parameters, as a text of any length; sealed, where a key is configured. */
  readonly input: string;
  readonly seed: string;
  /** For 24 hours, a call with the same key for the interface gets the first run. */
  readonly dedupeKey?: string | undefined;
  /** When the run is due; at once when absent. */
  readonly wakeAt?: number | undefined;
  /** The most runs of the interface that may be due or under way. Sleeping and waiting runs do not count. */
  readonly quota?: number | undefined;
  /** The node that begins the run itself: it holds the run with epoch 1, as if it had claimed the run. */
  readonly lease?: Lease | undefined;
}

/** The right of a node to work on a run, for `ms` milliseconds. */
export interface Lease {
  readonly node: string;
  readonly ms: number;
}

/** The result of `create`. `epoch` is 1 with a lease, 0 without a lease or when the run existed already. */
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

/** A token for which the run waits: a caller with the token may send a payload once, until `until`. */
export interface Wait {
  readonly path: string;
  /** SHA-256 of the token, as hexadecimal digits: the token itself is never stored. */
  readonly tokenHash: string;
  readonly until: number;
}

/** A wait whose path has no checkpoint yet. It is `expired` when it had no payload and its time was over at the claim. */
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
  /** The checkpoints in the order in which they were stored. */
  readonly checkpoints: readonly Checkpoint[];
  readonly waits: readonly OpenWait[];
  /** Milliseconds that the run has been in the store. */
  readonly age: number;
}

/** A run that a node holds, with the epoch of its claim. */
export interface Held {
  readonly id: string;
  readonly epoch: number;
}

/** The end of a run that was not cancelled. */
export interface Finish {
  readonly status: "done" | "failed";
  readonly result: string;
}

/** Changes of the run that come with a checkpoint. Without any of them, the node keeps the run. */
export interface Then {
  /** Hash of the plan from the action on that is the first open one after the checkpoint. */
  readonly plan?: string | undefined;
  /** A token that is valid from now on, whether the run has reached its wait or not. */
  readonly wait?: Wait | undefined;
  /** Releases the run. It is due at `at`; without a time, when its first open wait ends, or at once when a wait is resumed. */
  readonly release?: { readonly at?: number | undefined } | undefined;
  readonly finish?: Finish | undefined;
}

/** `open`: due at its time, or under way. `waiting`: no node holds it, and it waits for a token. All others have ended. */
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
  /** When the run is due, or the lease of its node ends; null for a run that has ended. */
  readonly due: number | null;
  readonly created: number;
  /** When the run has ended, or null. */
  readonly ended: number | null;
}

export interface RunDetails extends RunRow {
  /** Paths of the actions that are settled, and of their tokens, in order. */
  readonly settled: readonly string[];
  readonly waits: readonly (Wait & { readonly state: OpenWait["state"] })[];
  /** The text that was stored at the end, or null. */
  readonly result: string | null;
}

/** The most rows of one list. */
export const maxListed = 1_000;

export interface RunsFilter {
  readonly status?: RunStatus | undefined;
  readonly config?: string | undefined;
  readonly interface?: string | undefined;
  /** Only runs that have not ended and were due before that time: no node has claimed them, or their nodes have ended. */
  readonly dueBefore?: number | undefined;
  /** The id after which the list continues; newest runs come first. */
  readonly after?: string | undefined;
  /** The most rows, 1 to 1,000; 100 when absent. */
  readonly limit?: number | undefined;
}

export type Resumed = { readonly state: "resumed" | "already"; readonly id: string } | { readonly state: "unknown" };

/**
 * Called with false when other nodes may take this node for gone although it lives, and end its leases; called with true when they cannot
 * any more.
 */
export type OnSeen = (isSeen: boolean) => void;

/**
 * Durable runs of one organisation and environment; other runs are invisible. Every operation is one atomic step for all nodes that use the
 * store. It rejects with an outage (`isOutage`) when the store does not answer: the operation may then have happened or not, and the call
 * can be repeated safely. Any other error comes back when the call is repeated.
 */
export interface RunStore extends Resource {
  /** True when stored runs outlive the process. */
  readonly isLasting: boolean;
  /** Stores a run; a second call with the same id changes nothing. Gives `quota` when the quota is used up. */
  readonly create: (run: NewRun) => Promise<Created | "quota">;
  /**
   * Claims due runs with one of these plans, in the order of their times: runs that no node holds, and runs whose lease has ended. Each
   * claim raises the epoch by 1, and no two callers get a run with the same epoch. Runs that another node is claiming are skipped.
   */
  readonly claim: (lease: Lease, plans: readonly string[], limit: number) => Promise<readonly ClaimedRun[]>;
  /** Renews the leases of these runs; gives the ids of runs that the node does not hold any more. */
  readonly renew: (lease: Lease, held: readonly Held[]) => Promise<readonly string[]>;
  /**
   * Stores outputs and changes of the run, all or nothing, if the epoch is that of the last claim and the run has not ended. A path keeps
   * its first output, so that a repeated call is "ok".
   */
  readonly checkpoint: (held: Held, points: readonly Checkpoint[], then: Then) => Promise<"ok" | "fenced">;
  /** Gives a waiting run its payload. Only the first caller gets "resumed"; a token that has expired, or whose wait has, is "unknown". */
  readonly resume: (tokenHash: string, payload: string) => Promise<Resumed>;
  /** Cancels a run. The store refuses its node from then on. */
  readonly cancel: (id: string) => Promise<"cancelled" | "over" | "unknown">;
  /** Makes a failed or cancelled run due at once. Outputs and waits under these paths are removed; their bytes still count. */
  readonly retry: (id: string, again: readonly string[]) => Promise<"due" | "refused" | "unknown">;
  /** Ends the leases of a node that is known to have ended; gives their number. */
  readonly expireNode: (node: string) => Promise<number>;
  /** Registers this process as the node, until the store is closed, so that other nodes notice its end at once instead of by its leases. */
  readonly attend: (node: string, onSeen?: OnSeen) => Promise<void>;
  /** Writes some pages of random text; rejects while the disk cannot be written. Pruning removes the pages. */
  readonly probe: (node: string) => Promise<void>;
  /**
   * Ends the leases of nodes whose processes are known to have ended; gives their number. A wrong guess does no harm, because epochs
   * decide.
   */
  readonly expireGone: () => Promise<number>;
  /** Milliseconds until a run of these plans can be claimed, 0 when one can be now; undefined when there is none. */
  readonly nextDue: (plans: readonly string[]) => Promise<number | undefined>;
  readonly list: (filter: RunsFilter) => Promise<readonly RunRow[]>;
  readonly show: (id: string) => Promise<RunDetails | undefined>;
  /** The outputs of a run, in the order in which they were stored; empty when the run does not exist. */
  readonly outputs: (id: string) => Promise<readonly Checkpoint[]>;
  /** Runs that have not ended and have none of these plans: no node with these plans can continue them. */
  readonly stuck: (plans: readonly string[], limit: number) => Promise<readonly RunRow[]>;
  /** Removes runs that ended before that time, a bounded number at once; gives how many. */
  readonly prune: (before: number) => Promise<number>;
  /** The time by the clock of the store. */
  readonly now: () => Promise<number>;
}
