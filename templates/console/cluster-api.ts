import { ask } from "./api.ts";

/** A process that serves, as it says of itself. */
export interface ClusterNode {
  readonly node: string;
  readonly machine: string;
  readonly pid: number;
  /** Its number and how many there are, such as `2/4`. */
  readonly worker?: string;
  readonly version: string;
  readonly bundle: string;
  readonly started: string;
  readonly seen: string;
  /** Durable runs that it holds; absent where there is no store. */
  readonly runs?: number;
  readonly bus?: { readonly connected: boolean; readonly lost: number; readonly lag_ms: number | null };
}

/** Runs of a state, and when the first of them is due. */
interface Depth {
  readonly count: number;
  readonly first: string | null;
}

/** The nodes of a service, and what they have in common. */
export interface Cluster {
  readonly store: "memory" | "sqlite" | "postgres";
  readonly clustered: boolean;
  /** The node that answers. */
  readonly self: string;
  /** The clock of the store. */
  readonly now?: string;
  readonly nodes: readonly ClusterNode[];
  readonly leases: readonly { readonly name: string; readonly node: string; readonly until: string }[];
  readonly queue: Readonly<Record<"due" | "held" | "sleeping" | "waiting", Depth>> | null;
  readonly bundles: readonly { readonly bundle: string; readonly runs: number }[];
}

export const readCluster = async (): Promise<Cluster> => (await ask("/cluster")).json();
