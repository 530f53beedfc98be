import type { Host, Log } from "../process/host.ts";
import { workerOf } from "../process/workers/crew.ts";
import type { Act, Run } from "../run/run.ts";
import { readAddress } from "../store/address.ts";
import { postgresOf } from "../store/open-postgres.ts";
import { sqliteOf } from "../store/open-sqlite.ts";
import type { SqliteStore } from "../store/sqlite-store.ts";
import type { Use } from "../store/stores.ts";
import { Failure } from "../value/failure.ts";
import { stateAddress } from "./durability.ts";
import { GuardedStore, unavailable } from "./guarded.ts";
import { LocalStore } from "./local.ts";
import { MemoryRows } from "./memory.ts";
import { PostgresState } from "./postgres.ts";
import { SqliteRows } from "./sqlite.ts";
import type { StateStore } from "./store.ts";

/** The state of this process, opened at its first use (spec/surfaces 0 and 12). Throws `Failure`. */
export const stateOf = (host: Host): StateStore => host.resource("state", () => open(host));

/** The state as a run uses it: a recorded run notes the values that it finds. */
export const stateFor = (run: Run, act?: Act): StateStore => {
  const store = stateOf(run.host);
  return run.shared.exchanges?.state(run, act, store) ?? store;
};

/** Rejects when the store does not answer, or refuses writes. */
export async function stateAnswers(host: Host): Promise<void> {
  const store = stateOf(host);
  if (store instanceof GuardedStore) await store.answers();
}

const memoryOf = ({ limits }: Host): MemoryRows => new MemoryRows(limits.maxStateBytes);

function open(host: Host): StateStore {
  const address = readAddress(stateAddress(host), "PIPEWRIGHT_STATE_DATABASE_URL and PIPEWRIGHT_DATABASE_URL are");
  const log: Log = (level, msg, fields) => host.log(level, `state: ${msg}`, fields);
  if (address.kind === "postgres") {
    const { store, release } = postgresOf(host, address.url);
    return new GuardedStore(new PostgresState(store, release), log);
  }
  if (host.env("PIPEWRIGHT_CLUSTERED") === "true" || (address.kind === "memory" && workerOf(host) !== undefined)) return alone;
  if (address.kind === "memory") return new GuardedStore(new LocalStore(memoryOf(host), host.now), log);
  const { store, release } = opened(host, address.file, log);
  return new GuardedStore(new LocalStore(new SqliteRows(store, release), () => store.now()), log, () => store.waitedMs);
}

/** A file that could not be opened is tried again at the next use. */
function opened(host: Host, file: string, log: Log): Use<SqliteStore> {
  try {
    return sqliteOf(host, file);
  } catch (error) {
    throw unavailable(error, log);
  }
}

const refuse = async (): Promise<never> => {
  throw new Failure("state", "durable state required");
};

/**
 * The store of a node or a worker that has others beside it, but no shared store: it refuses, because it must not answer for the others.
 */
const alone: StateStore = {
  get: async () => undefined,
  set: refuse,
  advance: refuse,
  delete: refuse,
  seen: refuse,
  close: () => undefined,
};
