import { readRunKeys } from "../keys/run-keys.ts";
import type { Host } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import { readAddress } from "./address.ts";
import { MemoryRuns } from "./memory-runs.ts";
import { postgresOf } from "./open-postgres.ts";
import { sqliteOf } from "./open-sqlite.ts";
import { PostgresRuns } from "./postgres-runs.ts";
import type { RunStore } from "./runs.ts";
import { scopeOf } from "./scope.ts";
import { sealedRuns } from "./sealed-runs.ts";
import { SqliteRuns } from "./sqlite-runs.ts";

/**
 * The durable runs of a process, in the database of its state: that of `PIPEWRIGHT_STATE_DATABASE_URL` or `PIPEWRIGHT_DATABASE_URL`, else
 * in memory, where they end with the process. Runs of another organisation or environment are invisible. `PIPEWRIGHT_RUNS_KEY` seals the
 * texts in a database. The store is opened at its first use. Throws `Failure`, and errors of SQLite about a file.
 */
export const runsOf = (host: Host): RunStore =>
  host.resource("runs", () => {
    const store = open(host);
    const source = host.env("PIPEWRIGHT_RUNS_KEY") || "";
    return source === "" || store instanceof MemoryRuns ? store : sealedRuns(store, keysOf(source));
  });

function keysOf(source: string): readonly Uint8Array[] {
  const keys = readRunKeys(source);
  if ("problem" in keys) throw new Failure("state", keys.problem);
  return keys.value;
}

function open(host: Host): RunStore {
  const text = host.env("PIPEWRIGHT_STATE_DATABASE_URL") || host.env("PIPEWRIGHT_DATABASE_URL") || "";
  const address = readAddress(text, "PIPEWRIGHT_STATE_DATABASE_URL and PIPEWRIGHT_DATABASE_URL are");
  if (address.kind === "memory") return new MemoryRuns(host.now);
  if (address.kind === "sqlite") {
    const { store, release } = sqliteOf(host, address.file);
    return new SqliteRuns(store, scopeOf(host), release);
  }
  const { store, release } = postgresOf(host, address.url);
  return new PostgresRuns(store, scopeOf(host), release);
}
