/** A run of the cluster. */
export interface ClusterOptions {
  /** The server of PostgreSQL, in which a database of its own is made, and dropped afterwards. */
  readonly server: string;
  readonly nodes: number;
  /** Runs that callers ask for. */
  readonly runs: number;
  /** Callers that ask at the same time. */
  readonly callers: number;
  readonly seed: number;
  /** Faults that happen, by chance, as long as callers ask. */
  readonly faults: readonly Fault[];
  /** Callers go on until so many faults have happened. */
  readonly leastFaults: number;
  /** Milliseconds between two faults, on average. */
  readonly faultEveryMs: number;
  /** The database of the fault `failover` confirms what its standby does not have yet: the last transactions may be lost. */
  readonly isAsynchronous?: boolean;
  /** Milliseconds for which the database is away after a crash. */
  readonly downMs: number;
}

/**
 * `kill`: kill -9; `term`: SIGTERM, which hands runs over; `deploy`: the same, and the next node has the other version of the service;
 * `stop`: SIGSTOP for longer than a lease, then SIGCONT; `cut`: no packet goes to or from the node for as long.
 */
export const nodeFaults = ["kill", "term", "stop", "deploy", "cut"] as const;
export type NodeFault = (typeof nodeFaults)[number];

/**
 * `crash`: the database ends at once and comes back after `downMs`; `failover`: it ends at once for ever, and its standby takes over. The
 * servers are own ones then.
 */
export const faults = [...nodeFaults, "crash", "failover"] as const;
export type Fault = (typeof faults)[number];

/**
 * Milliseconds that the end of a node in good order may take: until its process has ended, and until another node has one of its runs. Of
 * the latter the median counts, since the machine that measures it does other work, too.
 */
export const ends = { drainMs: 30_000, takeoverMs: 500 } as const;

/** The account of a cluster: `problems` is empty when every promise was kept. */
export interface ClusterAccount {
  readonly accepted: number;
  /** Requests without an answer: their nodes ended first. Some of them were stored. */
  readonly unanswered: number;
  /** Requests that were answered with 503 or 429: the store could not be asked, the process was ending, or it had runs enough. */
  readonly refused: number;
  /** Milliseconds until the slowest of them had its answer. */
  readonly slowestRefusal: number;
  readonly finishedOnce: number;
  readonly effects: number;
  readonly repeats: number;
  readonly faults: Readonly<Record<Fault, number>>;
  /** Milliseconds from the end of a node until another one had its runs: of each run, sorted. */
  readonly takeovers: Readonly<Record<NodeFault, readonly number[]>>;
  /** Milliseconds from SIGTERM until the process had ended, sorted. */
  readonly drains: readonly number[];
  /** Milliseconds from the return of the database until a run was accepted again, sorted. */
  readonly returns: readonly number[];
  readonly seconds: number;
  readonly problems: readonly string[];
  /** Sentences about ends in good order that took longer than `ends`: on a machine that does much else they say little. */
  readonly late: readonly string[];
}
