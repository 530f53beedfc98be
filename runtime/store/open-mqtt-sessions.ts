import type { Host } from "../process/host.ts";
import { readAddress } from "./address.ts";
import type { SessionStore } from "./mqtt-sessions.ts";
import { postgresOf } from "./open-postgres.ts";
import { sqliteOf } from "./open-sqlite.ts";
import { PostgresSessions } from "./postgres-mqtt-sessions.ts";
import { SqliteSessions } from "./sqlite-mqtt-sessions.ts";

/** Opens the store of sessions at an address; undefined for memory. Throws `Failure`, and errors of SQLite about a file. */
export function openSessions(host: Host, text: string): SessionStore | undefined {
  const address = readAddress(text, "PIPEWRIGHT_DATABASE_URL and PIPEWRIGHT_STATE_DATABASE_URL are");
  if (address.kind === "memory") return undefined;
  if (address.kind === "sqlite") {
    const { store, release } = sqliteOf(host, address.file);
    return new SqliteSessions(store, () => void release());
  }
  const { store, release } = postgresOf(host, address.url);
  return new PostgresSessions(store, release);
}
