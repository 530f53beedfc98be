import { isLeaseOf } from "../store/scope.ts";
import type { JsonObject } from "../value/json.ts";

/** A node with the facts that it has reported. Lists of nodes are in the order of their names. */
export interface AnnouncedNode {
  readonly node: string;
  readonly about: JsonObject;
  /** The time at which the report expires. */
  readonly until: number;
}

/** An exclusive right that a node has. Times are Unix milliseconds by the clock of the store. */
export interface HeldLease {
  readonly name: string;
  readonly node: string;
  readonly until: number;
}

/**
 * States of durable runs that have not ended. `held`: a node works on it. `due`: it waits for a node. `sleeping`: its time is in the
 * future. `waiting`: it waits for a callback.
 */
export const queueStates = ["due", "held", "sleeping", "waiting"] as const;
export type QueueState = (typeof queueStates)[number];

/** The number of runs in a state, and the earliest time at which one of them is due. */
export interface QueueDepth {
  readonly count: number;
  readonly first: number | null;
}

/** The common state of the nodes of a service, at one time. */
export interface ClusterState {
  /** The time by the clock of the store. */
  readonly now: number;
  readonly nodes: readonly AnnouncedNode[];
  readonly leases: readonly HeldLease[];
  readonly queue: Readonly<Partial<Record<QueueState, QueueDepth>>>;
  /** The numbers of runs that nodes hold, by node. */
  readonly held: ReadonlyMap<string, number>;
  /** The numbers of runs that have not ended, by the bundle that has accepted them. */
  readonly bundles: ReadonlyMap<string, number>;
}

/**
 * The store in which the nodes of a service report themselves. It also counts their common work. Its methods reject when the store does not
 * answer.
 */
export interface ClusterStore {
  readonly kind: "postgres" | "sqlite";
  /** Reports the facts of this node for `ms` milliseconds, and removes expired reports of others. */
  readonly announce: (node: string, about: JsonObject, ms: number) => Promise<void>;
  /** Removes the report of this node. */
  readonly leave: (node: string) => Promise<void>;
  readonly look: () => Promise<ClusterState>;
  readonly release: () => void | Promise<void>;
}

/** The most rows of each kind in one look: nodes, exclusive rights, holders of runs, bundles. */
export const mostRows = 500;

/** The state of a run at the time `now`, as SQL for both databases. */
export const stateColumn = (now: string): string =>
  `CASE WHEN node IS NOT NULL AND due > ${now} THEN 'held' WHEN due <= ${now} THEN 'due' WHEN status = 'waiting' THEN 'waiting' ELSE 'sleeping' END`;

/** A row as a database gives it: numbers may be texts. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of the five questions of a look. */
export interface LookRows {
  readonly nodes: readonly Row[];
  readonly leases: readonly Row[];
  readonly states: readonly Row[];
  readonly held: readonly Row[];
  readonly bundles: readonly Row[];
}

export function clusterState(scope: string, now: number, { nodes, leases, states, held, bundles }: LookRows): ClusterState {
  const counts = (rows: readonly Row[], key: string): ReadonlyMap<string, number> =>
    new Map(rows.map((row) => [String(row[key]), Number(row.count)]));
  return {
    now,
    nodes: nodes.map(({ key, value, until }) => ({
      node: String(key),
      about: JSON.parse(String(value)) as JsonObject,
      until: Number(until),
    })),
    leases: leases
      .filter(({ name }) => isLeaseOf(scope, String(name)))
      .map(({ name, node, until }) => ({ name: String(name), node: String(node), until: Number(until) })),
    queue: Object.fromEntries(
      states.map(({ state, count, first }) => [String(state), { count: Number(count), first: first === null ? null : Number(first) }]),
    ),
    held: counts(held, "node"),
    bundles: counts(bundles, "bundle"),
  };
}
