import type { Host } from "../process/host.ts";
import { nodeName } from "../process/node-name.ts";
import type { Config } from "../run/interface.ts";
import type { JsonObject } from "../value/json.ts";
import { Attendance, aboutNode, usualTimes } from "./node.ts";
import { openCluster } from "./open.ts";
import { type ClusterState, type ClusterStore, queueStates } from "./store.ts";

/** The process that asks for the page; `isFirst` is true for the first of several processes, which serves nothing and is no node. */
interface Looking {
  readonly host: Host;
  readonly configs: readonly Config[];
  readonly isFirst?: boolean;
}

/** Registers this process for the page of all nodes, if nodes share a store. Throws the errors of `openCluster`. */
export function attend(host: Host, configs: () => readonly Config[]): void {
  const store = openCluster(host);
  if (store !== undefined) host.resource("attendance", () => new Attendance(host, configs, store));
}

/** The shared store, as long as the page of this process uses it. */
class View {
  readonly store: ClusterStore | undefined;
  readonly opened: number;

  constructor(host: Host) {
    this.store = openCluster(host);
    this.opened = host.now();
  }

  close(): void | Promise<void> {
    return this.store?.release();
  }
}

/**
 * The nodes of the service with their versions, the runs and rights that they hold, and the waiting runs. Rejects when the store does not
 * answer.
 */
export async function clusterPage({ host, configs, isFirst = false }: Looking): Promise<JsonObject> {
  const view = host.resource("cluster view", () => new View(host));
  const own = nodeName(host);
  const state = await view.store?.look();
  const seen = new Date(state?.now ?? host.now()).toISOString();
  const self = { node: own, seen, ...aboutNode(host, isFirst ? [] : configs, view.opened) };
  const others = (state?.nodes ?? []).map(
    ({ node, about, until }): JsonObject => ({ ...about, node, seen: new Date(until - usualTimes.counts).toISOString() }),
  );
  const isListed = others.some(({ node }) => node === own);
  const nodes = isListed || isFirst ? others : [self, ...others];
  const clustered = host.env("PIPEWRIGHT_CLUSTERED") === "true";
  const common = { store: view.store?.kind ?? "memory", clustered, self: own };
  return { ...common, nodes: nodes.map((node) => withRuns(node, state)), ...shared(state) };
}

const withRuns = (node: JsonObject, state: ClusterState | undefined): JsonObject =>
  state === undefined ? node : { ...node, runs: state.held.get(String(node.node)) ?? 0 };

/** The parts of the page that belong to all nodes; they are empty without a store. */
function shared(state: ClusterState | undefined): JsonObject {
  if (state === undefined) return { leases: [], queue: null, bundles: [] };
  const time = (ms: number): string => new Date(ms).toISOString();
  const queue = queueStates.map((name): [string, JsonObject] => {
    const { count = 0, first = null } = state.queue[name] ?? {};
    return [name, { count, first: first === null ? null : time(first) }];
  });
  return {
    now: time(state.now),
    leases: state.leases.map(({ name, node, until }) => ({ name, node, until: time(until) })),
    queue: Object.fromEntries(queue),
    bundles: [...state.bundles].map(([bundle, runs]) => ({ bundle, runs })),
  };
}
