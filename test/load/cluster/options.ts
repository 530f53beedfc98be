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
  /** Milliseconds between two faults, on average. */
  readonly faultEveryMs: number;
}

/** `kill`: kill -9; `term`: SIGTERM, which hands runs over; `stop`: SIGSTOP for longer than a lease, then SIGCONT. */
export const faults = ["kill", "term", "stop"] as const;
export type Fault = (typeof faults)[number];

/** The account of a cluster: `problems` is empty when every promise was kept. */
export interface ClusterAccount {
  readonly accepted: number;
  /** Requests without an answer: their nodes ended first. Some of them were stored. */
  readonly unanswered: number;
  readonly finishedOnce: number;
  readonly effects: number;
  readonly repeats: number;
  readonly faults: Readonly<Record<Fault, number>>;
  /** Milliseconds from the end of a node until another one had its runs: of each run, sorted. */
  readonly takeovers: Readonly<Record<Fault, readonly number[]>>;
  readonly seconds: number;
  readonly problems: readonly string[];
}
