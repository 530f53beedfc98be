import type { Host } from "../process/host.ts";
import { readAddress } from "../store/address.ts";
import type { History } from "./recording.ts";

/** The parts of a host that opening a history needs; the command that lists runs has them, too. */
export type HistoryHost = Pick<Host, "organisation" | "environment" | "env" | "log" | "resource" | "now" | "limits">;

/**
 * The history of an environment: in the database of `PIPEWRIGHT_DATABASE_URL`, else in a file of `.pipewright/` (spec/surfaces 16). It is
 * opened, and its driver loaded, at its first use.
 */
export function openHistory(place: HistoryHost): History {
  let opened: Promise<History> | undefined;
  const ask = async <T>(question: (history: History) => Promise<T>): Promise<T> => {
    opened ??= open(place).catch((error: unknown) => {
      // The next question tries to open the history again.
      opened = undefined;
      throw error;
    });
    return question(await opened);
  };
  return {
    write: (entries) => ask((history) => history.write(entries)),
    count: (window, runs, now) => ask((history) => history.count(window, runs, now)),
    list: (filter, limit, cursor) => ask((history) => history.list(filter, limit, cursor)),
    records: (filter, limit, cursor) => ask((history) => history.records(filter, limit, cursor)),
    find: (id) => ask((history) => history.find(id)),
    prune: (now) => ask((history) => history.prune(now)),
    close: async () => {
      await opened?.then(
        (history) => history.close(),
        () => undefined,
      );
    },
  };
}

async function open(host: HistoryHost): Promise<History> {
  const { organisation, environment, env } = host;
  const address = readAddress(env("PIPEWRIGHT_DATABASE_URL") ?? "", "PIPEWRIGHT_DATABASE_URL is");
  const owner = { organisation, environment };
  if (address.kind === "memory") {
    const { RingHistory } = await import("./ring.ts");
    return new RingHistory(env("PIPEWRIGHT_CAPTURE_DIR") || ".pipewright", owner);
  }
  if (address.kind === "postgres") {
    const [{ PostgresHistory }, { postgresOf }] = await Promise.all([import("./postgres.ts"), import("../store/open-postgres.ts")]);
    return new PostgresHistory(postgresOf(host, address.url), owner);
  }
  const [{ SqliteHistory }, { sqliteOf }] = await Promise.all([import("./sqlite.ts"), import("../store/open-sqlite.ts")]);
  return new SqliteHistory(sqliteOf(host, address.file), owner);
}
