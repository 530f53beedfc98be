import type { Host } from "../process/host.ts";
import { readAddress, sharedAddress } from "./address.ts";
import type { Coordination } from "./coordination.ts";
import { MemoryCoordination } from "./memory-coordination.ts";
import { postgresOf } from "./open-postgres.ts";
import { sqliteOf } from "./open-sqlite.ts";
import { PostgresCoordination } from "./postgres-coordination.ts";
import { SqliteCoordination } from "./sqlite-coordination.ts";

/**
 * The agreement of this process with the other nodes: by the database that they share, also where the state has one of its own, else with
 * itself alone. Opened when it is first asked for. Throws `Failure`, and what SQLite says of a file.
 */
export const coordinationOf = (host: Host): Coordination => host.resource("coordination", () => openCoordination(host));

/** Opens the agreement for somebody who asks until the process has ended, and closes it then. */
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
