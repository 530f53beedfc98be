import { readableReason } from "../../../outgoing/connection-reason.ts";
import { type Touch, touchesByConfig } from "../../../outgoing/touches.ts";
import type { Dialect } from "../../../plan/dialect.ts";
import type { Log, Resource } from "../../../process/host.ts";
import type { Run } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import type { JsonObject } from "../../../value/json.ts";
import { masked, readSettings, type Settings } from "./settings.ts";

// The parts that every kind of database has in common: how its settings become an open connection, and its errors a failure.

/** An open connection that can be checked by a ping. */
export interface Pingable extends Resource {
  readonly ping: () => Promise<void>;
}

/** A kind of database: one file of runtime/features/actions/database, imported only by the modules that use it. */
export interface DriverOf<C extends Pingable> {
  readonly name: string;
  readonly speaks: Dialect | "documents";
  /** Names a connection: configs that give the same identity share it. */
  readonly identity: (settings: Settings, config: string) => string;
  /** Opens a connection, or a pool that connects when it is first used. */
  readonly open: (settings: Settings, log: Log) => C;
}

/** A database as a printed module declares it. The settings hold markers, so they are evaluated for each run. */
export interface SourceOf<C extends Pingable> {
  readonly name: string;
  readonly driver: DriverOf<C>;
  readonly settings: (cx: Run) => JsonObject;
  /** Fetches the secrets that the settings read. */
  readonly load?: (cx: Run) => Promise<void> | undefined;
}

/** A connection that a host has opened for a source, and the settings it was opened with. */
export interface Opened {
  readonly given: JsonObject;
  readonly connection: Pingable;
}

/** The connections of a host by their sources, or what a test puts in their place. */
export interface Connections extends Resource {
  readonly opened: WeakMap<object, Opened>;
  /** Connects a source in another way than by its settings. */
  readonly standIn?: (source: SourceOf<Pingable>, run: Run) => Pingable;
}

/** The connection for the settings as they are now. They seldom change, so the last ones are compared before anything is looked up. */
export function connect<C extends Pingable>(source: SourceOf<C>, run: Run): C {
  const { opened, standIn } = run.host.resource<Connections>("databases", () => ({ opened: new WeakMap(), close: () => undefined }));
  // A stand-in for a database of a kind has the methods of that kind.
  if (standIn !== undefined) return standIn(source, run) as C;
  const settings = source.settings(run);
  const last = opened.get(source);
  // A connection under a source was opened by its driver.
  if (last !== undefined && alike(last.given, settings)) return last.connection as C;
  const connection = open(source, settings, run);
  opened.set(source, { given: settings, connection });
  return connection;
}

function alike(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function open<C extends Pingable>({ name, driver }: SourceOf<C>, values: JsonObject, run: Run): C {
  const { host, config } = run;
  const settings = readSettings(values);
  touchesByConfig(run, placeOf(driver.name, settings));
  const log: Log = (level, msg, fields) => host.log(level, masked(msg, settings), { database: name, ...fields });
  return host.resource(`${driver.name} ${driver.identity(settings, config.name)}`, () => driver.open(settings, log));
}

/** The file of a database without a server, or the server as the settings name it. */
const placeOf = (driver: string, { conn_string, dbname, host }: Settings): Touch =>
  driver === "sqlite" ? { kind: "files", name: conn_string ?? dbname ?? "" } : { kind: "hosts", name: conn_string ?? host ?? "localhost" };

/** Turns an error of a driver into a failure that tells nothing of the connection. */
export function failed<C extends Pingable>(thrown: unknown, source: SourceOf<C>, run: Run): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure("database", `database: ${masked(messageOf(thrown), readSettings(source.settings(run)))}`, { cause: thrown });
}

/** A connection refused on both addresses of a name is an `AggregateError` without a message of its own. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === "") return thrown.errors.map(messageOf).join("; ");
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.message === "" && "code" in thrown ? String(thrown.code) : readableReason(thrown.message);
}
