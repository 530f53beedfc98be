import type { Host } from "../process/host.ts";
import { readAddress } from "../store/address.ts";
import { postgresOf } from "../store/open-postgres.ts";
import { sqliteOf } from "../store/open-sqlite.ts";
import { PostgresCluster } from "./postgres.ts";
import { SqliteCluster } from "./sqlite.ts";
import { type ClusterStore, namespaceOf } from "./store.ts";

/**
 * The place that nodes share, beside their state; undefined where a process keeps all in its own memory. Throws `Failure`, and what SQLite
 * says.
 */
export function openCluster(host: Host): ClusterStore | undefined {
  const text = host.env("PIPEWRIGHT_STATE_DATABASE_URL") || host.env("PIPEWRIGHT_DATABASE_URL") || "";
  const address = readAddress(text, "PIPEWRIGHT_STATE_DATABASE_URL and PIPEWRIGHT_DATABASE_URL are");
  const namespace = namespaceOf(host.organisation, host.environment);
  if (address.kind === "memory") return undefined;
  if (address.kind === "sqlite") {
    const { store, release } = sqliteOf(host, address.file);
    return new SqliteCluster(store, namespace, release);
  }
  const { store, release } = postgresOf(host, address.url);
  return new PostgresCluster(store, namespace, release);
}
