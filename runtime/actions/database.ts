import type { Act } from "../act.ts";
import { Failure } from "../failure.ts";
import type { Action } from "../feature.ts";
import type { Log, Resource } from "../host.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Run } from "../run.ts";
import { masked, readSettings, type Settings } from "./database/settings.ts";

/** A kind of database: one file of runtime/actions/database, imported only by the modules that use it. */
export interface Driver {
  readonly name: string;
  /** What makes two connections the same one: configs that give the same identity share it. */
  readonly identity: (settings: Settings, config: string) => string;
  /** Opens a connection, or a pool that connects when it is first used. */
  readonly open: (settings: Settings, log: Log) => Connection;
}

/** Bounds of one query. */
export interface QueryLimits {
  /** Asked for only by a query that takes long: to make and to watch a signal costs more than the rest of our part in a short one. */
  readonly signal?: () => AbortSignal;
  /** Milliseconds; without it that of the connection counts. */
  readonly timeout?: number | undefined;
}

/** Rejects with the driver's own error, or with a `Failure` where the driver has none. */
export interface Connection extends Resource {
  /** Rows of the query; without `params` the text may hold several statements, and the last one that returns rows counts (decisions.md A28). */
  readonly query: (text: string, params: readonly Json[] | undefined, limits: QueryLimits) => Promise<Json[]>;
  /** Runs a batch and drops its rows. */
  readonly script: (text: string, limits: QueryLimits) => Promise<void>;
  readonly ping: () => Promise<void>;
}

/** A database as a printed module declares it. The settings hold markers, so they are evaluated for each run. */
export interface DatabaseSource {
  readonly name: string;
  readonly driver: Driver;
  readonly settings: (cx: Run) => JsonObject;
}

/** Null means unset, as for every field that held a marker. */
export interface DatabaseArgs {
  readonly query: string;
  /** Bound in order: null, boolean, number and string as they are, objects and arrays as compact JSON text. */
  readonly params?: readonly Json[] | null;
  /** Forces a batch: several statements, no params, no rows. */
  readonly multi?: boolean | null;
  readonly timeout?: number | null;
}

/** Runs a query; the data is a list of rows, empty for statements that return none (language.md 5.4). */
export async function database(act: Act, source: DatabaseSource, args: DatabaseArgs): Promise<Json> {
  const { query, params, multi, timeout } = args;
  const limits = { signal: () => act.signal, timeout: timeout ?? undefined };
  try {
    const connection = connect(source, act.run);
    if (multi !== true) return await connection.query(query, params?.length ? params : undefined, limits);
    await connection.script(query, limits);
    return [];
  } catch (error) {
    throw failed(error, source, act.run);
  }
}

/** Asks the database one question: the need behind `/readyz`. Throws `Failure`. */
export async function ping(source: DatabaseSource, run: Run): Promise<void> {
  try {
    await connect(source, run).ping();
  } catch (error) {
    throw failed(error, source, run);
  }
}

/** What a host has opened for a source, and the settings it was opened with. */
interface Opened {
  readonly given: JsonObject;
  readonly connection: Connection;
}

/** The connection for the settings as they are now. They seldom change, so the last ones are compared before anything is looked up. */
function connect(source: DatabaseSource, run: Run): Connection {
  const { opened } = run.host.resource("databases", () => ({ opened: new WeakMap<DatabaseSource, Opened>(), close: () => undefined }));
  const given = source.settings(run);
  const last = opened.get(source);
  if (last !== undefined && alike(last.given, given)) return last.connection;
  const connection = open(source, given, run);
  opened.set(source, { given, connection });
  return connection;
}

function alike(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function open({ name, driver }: DatabaseSource, given: JsonObject, { host, config }: Run): Connection {
  const settings = readSettings(given);
  const log: Log = (level, msg, fields) => host.log(level, masked(msg, settings), { database: name, ...fields });
  return host.resource(`${driver.name} ${driver.identity(settings, config.name)}`, () => driver.open(settings, log));
}

function failed(thrown: unknown, source: DatabaseSource, run: Run): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure("database", `database: ${masked(messageOf(thrown), readSettings(source.settings(run)))}`, { cause: thrown });
}

/** A connection refused on both addresses of a name is an `AggregateError` without a message of its own. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === "") return thrown.errors.map(messageOf).join("; ");
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.message === "" && "code" in thrown ? String(thrown.code) : thrown.message;
}

const own = "a connection of its own";

/** The part of an action that queries a database. It has no `run`, because a query also needs its database. */
export const spec: Omit<Action<DatabaseArgs>, "run"> = {
  summary: "Query a database.",
  effect: "state",
  schema: {
    type: "object",
    required: ["database", "query"],
    additionalProperties: false,
    properties: {
      database: { type: "string", context: "static", description: "Name of an entry of global.databases." },
      query: { type: "string", context: "sql", description: "SQL with placeholders ? or $1; a marker in it is filled in as a literal." },
      params: { type: "array", items: {}, description: "Values of the placeholders, in order." },
      multi: { type: "boolean", context: "static", default: false, description: "Run several statements as a batch without rows." },
      timeout: { type: ["string", "number"], format: "duration", description: "Time for the whole action." },
      driver: { type: "string", unsupported: own, description: "Driver of the action's own connection." },
      conn_string: { type: "string", unsupported: own, description: "Address of the action's own connection." },
    },
  },
};
