import type { Host } from "../process/host.ts";
import { workerOf } from "../process/workers/crew.ts";
import { readAddress, sharedAddress } from "../store/address.ts";
import { postgresOf } from "../store/open-postgres.ts";
import { sqliteOf } from "../store/open-sqlite.ts";
import { Failure } from "../value/failure.ts";
import type { Bus } from "./bus.ts";
import { CrewBus } from "./crew-bus.ts";
import { Hub } from "./hub.ts";
import { Lines, lineOf } from "./lines.ts";
import { LocalBus, type Sequencer } from "./local-bus.ts";
import type { MessageBus } from "./port.ts";
import { PostgresBus } from "./postgres-bus.ts";
import { SqliteKept } from "./sqlite-kept.ts";

/** The bus of this process, opened when it is first asked for (spec/surfaces 17). */
export const busOf = (host: Host): Bus =>
  host.resource("bus", () => {
    if (workerOf(host) === undefined) return sequencerOf(host, true);
    return new CrewBus(lineOf(process));
  });

/** The bus between the processes of a service. */
export const messageBus: MessageBus = {
  start: async (host, users) => {
    const missing = missingOf(host);
    if (missing.length > 0) return missing;
    // Followers are registered before the bus gives them the stored state.
    for (const { channels, mqtt } of users) {
      channels?.(host);
      mqtt?.(host);
    }
    const bus = busOf(host);
    // All workers reach other nodes by the same connection, so that one worker reports lost messages for all of them.
    const isFirst = (workerOf(host)?.number ?? 1) === 1;
    for (const { metrics } of users) metrics?.(host).watchBus(() => (isFirst ? bus.report : { ...bus.report, lost: 0 }));
    // While the database is away, only this timer keeps the process alive.
    const hold = setInterval(() => undefined, 1_000);
    await bus.join().finally(() => clearInterval(hold));
    return [];
  },
  report: (host) => busOf(host).report,
  ofWorkers: (host) => {
    const missing = missingOf(host);
    if (missing.length === 0) host.resource("bus of workers", () => new Lines(new Hub(sequencerOf(host, false), host.log)));
    return missing;
  },
};

function missingOf(host: Host): readonly string[] {
  try {
    if (readAddress(sharedAddress(host), names).kind === "postgres" || host.env("PIPEWRIGHT_CLUSTERED") !== "true") return [];
    return ["PIPEWRIGHT_CLUSTERED=true: nodes share channels and MQTT by PostgreSQL alone; set PIPEWRIGHT_DATABASE_URL to postgres://…"];
  } catch (error) {
    if (error instanceof Failure) return [error.message];
    throw error;
  }
}

const names = "PIPEWRIGHT_DATABASE_URL and PIPEWRIGHT_STATE_DATABASE_URL are";

function sequencerOf(host: Host, serves: boolean): Sequencer {
  const address = readAddress(sharedAddress(host), names);
  if (address.kind === "postgres") {
    const { store, release } = postgresOf(host, address.url);
    return new PostgresBus({ host, store, release, serves });
  }
  const store = address.kind === "sqlite" ? new SqliteKept(host, () => sqliteOf(host, address.file)) : undefined;
  // Positions start as microseconds, so that messages stored by an earlier start have lower positions.
  const position = Math.floor(host.now() * 1_000);
  // A single process that stores nothing needs no unique name on the bus.
  if (serves && store === undefined) return new LocalBus({ position });
  return new LocalBus({ source: host.bytes(9).toString("base64url"), position, store, workers: !serves });
}
