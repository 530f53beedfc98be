import { postgres } from "../features/actions/database/postgres.ts";
import { readSettings } from "../features/actions/database/settings.ts";
import type { Host, Log } from "../process/host.ts";
import { workerOf } from "../process/workers/crew.ts";
import { Failure } from "../value/failure.ts";
import { stateAddress } from "./durability.ts";
import { GuardedStore, unavailable } from "./guarded.ts";
import { LocalStore } from "./local.ts";
import { MemoryRows } from "./memory.ts";
import { PostgresStore } from "./postgres.ts";
import { SqliteRows } from "./sqlite.ts";
import type { StateStore } from "./store.ts";

/** The state of this process, opened when it is first asked for (spec/surfaces 0 and 12). Throws `Failure`. */
export const stateOf = (host: Host): StateStore => host.resource("state", () => open(host));

/** The state for work that the leading worker alone does: without a database it may keep that in its own memory. */
export const leaderStateOf = (host: Host): StateStore => {
  const isAlone = workerOf(host) !== undefined && stateAddress(host) === "" && host.env("PIPEWRIGHT_CLUSTERED") !== "true";
  return isAlone ? host.resource("state of the leader", () => new LocalStore(memoryOf(host), host.now)) : stateOf(host);
};

/** Rejects when the store does not answer, or refuses what is written. */
export async function stateAnswers(host: Host): Promise<void> {
  const store = stateOf(host);
  if (store instanceof GuardedStore) await store.answers();
}

const memoryOf = ({ limits }: Host): MemoryRows => new MemoryRows(limits.maxStateBytes);

function open(host: Host): StateStore {
  const address = stateAddress(host);
  const log: Log = (level, msg, fields) => host.log(level, `state: ${msg}`, fields);
  if (/^postgres(?:ql)?:\/\//i.test(address)) {
    const settings = readSettings({ conn_string: address });
    return new GuardedStore(new PostgresStore(postgres.open(settings, log)), log);
  }
  const file = /^sqlite:(?:\/\/)?(.+)$/i.exec(address)?.[1];
  if (address !== "" && file === undefined)
    throw new Failure("state", "PIPEWRIGHT_STATE_DATABASE_URL and PIPEWRIGHT_DATABASE_URL are postgres://… or sqlite:FILE");
  if (host.env("PIPEWRIGHT_CLUSTERED") === "true" || (file === undefined && workerOf(host) !== undefined)) return alone;
  return new GuardedStore(
    new LocalStore(file === undefined ? memoryOf(host) : opened(file, host.limits.maxStateBytes, log), host.now),
    log,
  );
}

/** A file that cannot be opened is tried again when it is asked for again. */
function opened(file: string, mostBytes: number, log: Log): SqliteRows {
  try {
    return new SqliteRows(file, mostBytes);
  } catch (error) {
    throw unavailable(error, log);
  }
}

const refuse = async (): Promise<never> => {
  throw new Failure("state", "durable state required");
};

/** The store of a node or worker that has others beside it but no shared store: it refuses, because it must not answer for the others. */
const alone: StateStore = {
  get: async () => undefined,
  set: refuse,
  advance: refuse,
  delete: refuse,
  seen: refuse,
  close: () => undefined,
};
