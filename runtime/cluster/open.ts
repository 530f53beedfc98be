import type { Host } from "../process/host.ts";
import { stateAddress } from "../state/durability.ts";
import { readAddress, sharedAddress } from "../store/address.ts";
import { postgresOf } from "../store/open-postgres.ts";
import { sqliteOf } from "../store/open-sqlite.ts";
import { scopeOf } from "../store/scope.ts";
import { PostgresCluster } from "./postgres.ts";
import { SqliteCluster } from "./sqlite.ts";
import type { ClusterStore } from "./store.ts";

/**
 * The store that nodes share; undefined where a process keeps all in its own memory. Runs are counted in the database of the state, which
 * may be another one. Throws `Failure`, and errors of SQLite.
 */
export function openCluster(host: Host): ClusterStore | undefined {
  const shared = sharedAddress(host);
  const common = openAt(host, shared);
  const own = stateAddress(host) === shared ? undefined : openAt(host, stateAddress(host));
  return common === undefined || own === undefined ? common : besideState(common, own);
}

const besideState = (common: ClusterStore, own: ClusterStore): ClusterStore => ({
  kind: common.kind,
  announce: (...parameters) => common.announce(...parameters),
  leave: (node) => common.leave(node),
  look: async () => {
    const [{ now, nodes, leases }, { queue, held, bundles }] = await Promise.all([common.look(), own.look()]);
    return { now, nodes, leases, queue, held, bundles };
  },
  release: async () => {
    await common.release();
    await own.release();
  },
});

function openAt(host: Host, text: string): ClusterStore | undefined {
  const address = readAddress(text, "PIPEWRIGHT_STATE_DATABASE_URL and PIPEWRIGHT_DATABASE_URL are");
  const scope = scopeOf(host);
  if (address.kind === "memory") return undefined;
  if (address.kind === "sqlite") {
    const { store, release } = sqliteOf(host, address.file);
    return new SqliteCluster(store, scope, release);
  }
  const { store, release } = postgresOf(host, address.url);
  return new PostgresCluster(store, scope, release);
}
