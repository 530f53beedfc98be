import type { Host } from "../process/host.ts";
import { readAddress, sharedAddress } from "./address.ts";
import type { Coordination } from "./coordination.ts";
import { MemoryCoordination } from "./memory-coordination.ts";
import { postgresOf } from "./open-postgres.ts";
import { sqliteOf } from "./open-sqlite.ts";
import { PostgresCoordination } from "./postgres-coordination.ts";
import { SqliteCoordination } from "./sqlite-coordination.ts";

/**
 * The coordination of this process with the other nodes, by the database that they share, even where the state has a database of its own;
 * without a database, with itself alone. It is opened at its first use. Throws `Failure`, and errors of SQLite about a file.
 */
export const coordinationOf = (host: Host): Coordination => host.resource("coordination", () => openCoordination(host));

/** Opens the coordination for a caller that needs it until the process ends; the process closes it then. */
export function openCoordination(host: Host): Coordination {
  const address = readAddress(sharedAddress(host), "PIPEWRIGHT_DATABASE_URL and PIPEWRIGHT_STATE_DATABASE_URL are");
  if (address.kind === "memory") return new MemoryCoordination(host.now);
  if (address.kind === "sqlite") {
    const { store, release } = sqliteOf(host, address.file);
    return new SqliteCoordination(store, () => void release());
  }
  const { store, release } = postgresOf(host, address.url);
  return new PostgresCoordination(store, release);
}
