import { ask } from "./api.ts";

/** A serving process, as it reports itself. */
export interface ClusterNode {
  readonly node: string;
  readonly machine: string;
  readonly pid: number;
  /** Number of the worker and count of workers, such as `2/4`. */
  readonly worker?: string;
  readonly version: string;
  readonly bundle: string;
  readonly started: string;
  readonly seen: string;
  /** Number of durable runs that the node holds; absent without a store. */
  readonly runs?: number;
  readonly bus?: { readonly connected: boolean; readonly lost: number; readonly lag_ms: number | null };
}

/** The number of runs in a state, and when the first of them is due. */
interface Depth {
  readonly count: number;
  readonly first: string | null;
}

/** The nodes of a service, and the data that they share. */
export interface Cluster {
  readonly store: "memory" | "sqlite" | "postgres";
  readonly clustered: boolean;
  /** Id of the node that answers. */
  readonly self: string;
  /** The time by the clock of the store. */
  readonly now?: string;
  readonly nodes: readonly ClusterNode[];
  readonly leases: readonly { readonly name: string; readonly node: string; readonly until: string }[];
  readonly queue: Readonly<Record<"due" | "held" | "sleeping" | "waiting", Depth>> | null;
  readonly bundles: readonly { readonly bundle: string; readonly runs: number }[];
}

export const readCluster = async (): Promise<Cluster> => (await ask("/cluster")).json();
