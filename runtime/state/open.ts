import { postgres } from "../actions/database/postgres.ts";
import { readSettings } from "../actions/database/settings.ts";
import { workerOf } from "../cluster/crew.ts";
import { Failure } from "../failure.ts";
import type { Host, Log } from "../host.ts";
import { LocalStore } from "./local.ts";
import { MemoryRows } from "./memory.ts";
import { PostgresStore } from "./postgres.ts";
import { SqliteRows } from "./sqlite.ts";
import type { StateStore } from "./store.ts";

/** The state of this process, opened when it is first asked for (surfaces.md 0 and 12). Throws `Failure`. */
export const stateOf = (host: Host): StateStore => host.resource("state", () => open(host));

/** The same for what the leading worker alone does: without a database it may keep that in its own memory. */
export const leaderStateOf = (host: Host): StateStore => {
  const isAlone = workerOf(host) !== undefined && addressOf(host) === "" && host.env("PIPEWRIGHT_CLUSTERED") !== "true";
  return isAlone ? host.resource("state of the leader", () => new LocalStore(new MemoryRows(), host.now)) : stateOf(host);
};

/** Rejects when the store does not answer. */
export async function stateAnswers(host: Host): Promise<void> {
  await stateOf(host).get({ namespace: "pipewright", key: "readyz" });
}

const addressOf = (host: Host): string => host.env("PIPEWRIGHT_STATE_DATABASE_URL") || host.env("PIPEWRIGHT_DATABASE_URL") || "";

function open(host: Host): StateStore {
  const address = addressOf(host);
  const log: Log = (level, msg, fields) => host.log(level, `state: ${msg}`, fields);
  if (/^postgres(?:ql)?:\/\//i.test(address)) {
    const settings = readSettings({ conn_string: address });
    return guarded(new PostgresStore(postgres.open(settings, log)), log);
  }
  const file = /^sqlite:(?:\/\/)?(.+)$/i.exec(address)?.[1];
  if (address !== "" && file === undefined)
    throw new Failure("state", "PIPEWRIGHT_STATE_DATABASE_URL and PIPEWRIGHT_DATABASE_URL are postgres://… or sqlite:FILE");
  if (host.env("PIPEWRIGHT_CLUSTERED") === "true" || (file === undefined && workerOf(host) !== undefined)) return alone;
  return guarded(new LocalStore(file === undefined ? new MemoryRows() : opened(file, log), host.now), log);
}

/** A file that cannot be opened is tried again when it is asked for again. */
function opened(file: string, log: Log): SqliteRows {
  try {
    return new SqliteRows(file);
  } catch (error) {
    throw unavailable(error, log);
  }
}

function unavailable(error: unknown, log: Log): Failure {
  log("error", error instanceof Error ? error.message : String(error));
  return new Failure("state", "state is not available", { cause: error });
}

const refuse = async (): Promise<never> => {
  throw new Failure("state", "durable state required");
};

/** A node or a worker among others without a store that they share: it must not answer for them. */
const alone: StateStore = {
  get: async () => undefined,
  set: refuse,
  advance: refuse,
  delete: refuse,
  seen: refuse,
  close: () => undefined,
};

/** What a backend says goes to the log; the caller learns that the state is not available, and may try again. */
function guarded(store: StateStore, log: Log): StateStore {
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Failure && error.kind === "state") throw error;
      throw unavailable(error, log);
    }
  };
  return {
    get: (place) => asked(store.get(place)),
    set: (place, value, write) => asked(store.set(place, value, write)),
    advance: (place, value, ttl) => asked(store.advance(place, value, ttl)),
    delete: (place) => asked(store.delete(place)),
    seen: (set, ids, remember) => asked(store.seen(set, ids, remember)),
    close: () => store.close(),
  };
}
