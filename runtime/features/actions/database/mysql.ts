import type { Connection as Client, ConnectionOptions, TypedParameter } from "mysql2";
import type { Log } from "../../../process/host.ts";
import type { Json } from "../../../value/json.ts";
import { codeOf } from "../../../value/thrown.ts";
import type { DriverFeature } from "../../feature.ts";
import type { Connection, Driver, QueryOptions } from "../database.ts";
import { type Dial, dialOf, session } from "./mysql-options.ts";
import { type Column, isMoment, json, type Value } from "./mysql-types.ts";
import { asUnknown, Pool, Refused, type WorkResult } from "./pool.ts";
import { rowsOf } from "./rows.ts";
import type { Settings } from "./settings.ts";

/** MySQL and MariaDB by mysql2, which is loaded when the first query asks for a connection. */
export const mysql: Driver = {
  name: "mysql",
  speaks: "mysql",
  identity: (settings) => JSON.stringify(settings),
  open: (settings, log) => new MysqlPool(settings, dialOf(settings), log),
};

export const spec: DriverFeature = {
  summary: "MySQL and MariaDB.",
  schemes: ["mysql", "mariadb"],
  driver: mysql,
};

/** Flags of the server's state after a statement. */
const inTransaction = 1;
const autocommit = 2;

/** A connection of mysql2, the types of its parameters, and whether it has broken. */
interface Line {
  readonly client: Client;
  readonly types: TypedParameter;
  broken: boolean;
}

/** The result of one statement: rows with their columns, or the state of the session. */
interface Result {
  readonly columns: readonly Column[] | undefined;
  readonly rows: readonly (readonly Value[])[];
  readonly status: number | undefined;
  /** The zone that the statement has set. */
  readonly zone?: string | undefined;
}

class MysqlPool implements Connection {
  readonly #settings: Settings;
  readonly #dial: Dial;
  readonly #log: Log;
  readonly #pool: Pool<Line>;
  /** True when the server has no TLS and the settings allow a connection without it. */
  #plain = false;

  constructor(settings: Settings, dial: Dial, log: Log) {
    this.#settings = settings;
    this.#dial = dial;
    this.#log = log;
    this.#pool = new Pool({
      connect: () => this.#connect(),
      end: goodbye,
      abort: (line) => this.#kill(line),
      isAlive: ({ broken }) => !broken,
      renew: (line) => renew(line, dial.options.database),
      most: settings.max_open_conns,
      idle: settings.max_idle_conns,
      lifetime: settings.conn_max_lifetime,
    });
  }

  /** With params one statement, prepared on the server and kept there; without, the text as it is, which may hold several. */
  async query(text: string, params: readonly Json[] | undefined, options: QueryOptions): Promise<Json[]> {
    const timeout = options.timeout ?? this.#settings.timeout;
    return this.#pool.lend({ ...options, timeout }, async (line) => {
      // After an error of such a statement the state of the session is unknown, so the connection is dropped.
      const work = params === undefined ? ask(line, text) : execute(line, text, params);
      const results = await (options.session === true ? work.catch(asUnknown) : work);
      return finished(await withState(line, results), options.session);
    });
  }

  async script(text: string, options: QueryOptions): Promise<void> {
    await this.query(text, undefined, options);
  }

  async ping(): Promise<void> {
    const timeout = Math.min(5000, this.#settings.timeout);
    await this.#pool.lend({ timeout }, async (line) => finished(await ask(line, "SELECT 1")));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #connect(): Promise<Line> {
    const { options, plainIfMust } = this.#dial;
    if (this.#plain) return this.#dialled(withoutTls(options));
    try {
      return await this.#dialled(options);
    } catch (error) {
      if (!plainIfMust || codeOf(error) !== "HANDSHAKE_NO_SSL_SUPPORT") throw error;
      this.#plain = true;
      return this.#dialled(withoutTls(options));
    }
  }

  async #dialled(options: ConnectionOptions): Promise<Line> {
    const line: Line = { ...(await clientOf(options)), broken: false };
    const { client } = line;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let ready = false;
    // Without a listener an error of an idle connection would end the process.
    client.on("error", (error) => {
      line.broken = true;
      if (ready) this.#log("warn", `database connection lost: ${error.message}`);
      else reject(error);
    });
    client.on("end", () => {
      line.broken = true;
    });
    client.connect((error) => (error === null || error === undefined ? resolve() : reject(error)));
    try {
      await promise;
      await ask(line, session);
    } catch (error) {
      client.destroy();
      throw error instanceof Refused ? error.cause : loginInWords(error);
    }
    ready = true;
    return line;
  }

  /** Asks the server over a second connection to end the first one, with the query that it runs. */
  #kill(line: Line): void {
    const { client } = line;
    const { threadId } = client;
    line.broken = true;
    const options = this.#plain ? withoutTls(this.#dial.options) : this.#dial.options;
    // Best effort: the query has failed already, and the server notices the dropped connection sooner or later.
    void clientOf({ ...options, connectTimeout: 5000 }).then(({ client: other }) => {
      other.on("error", () => undefined);
      other.query({ sql: `KILL ${threadId}`, timeout: 5000 }, () => other.destroy());
    });
    client.destroy();
  }
}

/**
 * `COM_RESET_CONNECTION` also forgets prepared statements, and what the connection has set first. It leaves the database that `USE` has
 * chosen; a connection that had none cannot go back to none.
 */
async function renew(line: Line, database: string | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  line.client.reset((error) => (error ? reject(error) : resolve()));
  await promise;
  await ask(line, database === undefined ? session : `${session}; USE \`${database.replaceAll("`", "``")}\``);
  const [answer] = database === undefined ? await ask(line, "SELECT DATABASE()") : [];
  if (answer?.rows[0]?.[0]) throw new Error("a database was chosen");
}

function goodbye({ client, broken }: Line): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (broken) {
    client.destroy();
    resolve();
  } else client.end(() => resolve());
  return promise;
}

const withoutTls = ({ ssl: _, ...options }: ConnectionOptions): ConnectionOptions => options;

async function clientOf(options: ConnectionOptions): Promise<Pick<Line, "client" | "types">> {
  // Names that the package defines by getters are found in its default export alone.
  const { createConnection, TypedParameter: types } = (await import("mysql2")).default;
  return { client: createConnection(options), types };
}

/** The error of a login that mysql2 does not know, or does only in plain text, without the names of its options. */
function loginInWords(error: unknown): unknown {
  const login = error instanceof Error ? /authentication using (?:unknown plugin )?(\w+)/.exec(error.message)?.[1] : undefined;
  if (login === undefined) return error;
  const text = `the server asks for a login by ${login}, which is not supported; mysql_native_password and caching_sha2_password are`;
  return new Error(text, { cause: error });
}

/** Sends a text as it is. */
function ask({ client }: Line, text: string): Promise<readonly Result[]> {
  return new Promise((resolve, reject) => {
    client.query(text, (error, rows, columns) => (error ? reject(refused(error, text)) : resolve(results(rows, columns))));
  });
}

/** Prepares a statement, unless this connection knows it, and runs it. */
function execute({ client, types }: Line, text: string, params: readonly Json[]): Promise<readonly Result[]> {
  return new Promise((resolve, reject) => {
    client.prepare(text, (error, statement) => {
      if (error) return reject(refused(error, text));
      // With fewer values mysql2 would send just those, and the server would read other bytes as the missing ones.
      const placeholders = Reflect.get(statement, "parameters");
      if (Array.isArray(placeholders) && placeholders.length !== params.length)
        return reject(new Refused(new Error(`query has ${placeholders.length} placeholders, params has ${params.length}`)));
      statement.execute(
        params.map((value) => bound(value, types)),
        (failure, rows, columns) => {
          if (failure) reject(refused(failure, text));
          else resolve(results(rows, columns));
        },
      );
    });
  });
}

/**
 * A number is what the same digits are in a statement: a whole one BIGINT, one with a fraction DECIMAL. The package sends each number as
 * DOUBLE: an integer or a decimal that such a number is added to becomes DOUBLE, too, and keeps 15 digits. A boolean is 1 or 0.
 */
function bound(value: Json, types: TypedParameter): unknown {
  if (typeof value === "number") return numeric(value, types);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

function numeric(value: number, types: TypedParameter): unknown {
  if (Number.isSafeInteger(value)) return types.LONGLONG(value);
  const digits = String(value);
  return digits.includes("e") ? value : types.NEWDECIMAL(digits);
}

/** mysql2 gives one result as it is, and several as lists. */
function results(rows: unknown, columns: unknown): readonly Result[] {
  const several = Array.isArray(columns) && columns.every((each) => each === undefined || Array.isArray(each));
  const pairs = several && Array.isArray(rows) ? rows.map((each: unknown, i) => [each, columns[i]] as const) : [[rows, columns] as const];
  // mysql2 is pinned to one version; with the options of this driver results are lists of values, or headers with the state of the session.
  return pairs.map(([result, described]) =>
    Array.isArray(described)
      ? { columns: described as Column[], rows: result as Value[][], status: undefined }
      : { columns: undefined, rows: [], ...stateOf(result as Header | undefined) },
  );
}

/** The result of a statement without rows, as mysql2 has it. */
interface Header {
  readonly serverStatus?: number;
  readonly stateChanges?: { readonly systemVariables?: { readonly time_zone?: string } };
}

const stateOf = (header: Header | undefined): Pick<Result, "status" | "zone"> => ({
  status: header?.serverStatus,
  zone: header?.stateChanges?.systemVariables?.time_zone,
});

/**
 * The results. With autocommit off, and rows as the last result, the state of the session is still unknown: a further statement then asks
 * for it.
 */
async function withState(line: Line, all: readonly Result[]): Promise<readonly Result[]> {
  const status = statusOf(all);
  if (status === undefined || (status & autocommit) !== 0 || all.at(-1)?.status !== undefined) return all;
  return [...all, ...(await ask(line, "DO 0"))];
}

const statusOf = (all: readonly Result[]): number | undefined => all.findLast((result) => result.status !== undefined)?.status;

/** Rows of the last statement that returns any. The next user of the connection must not end up in a transaction of this one. */
function finished(all: readonly Result[], session = false): WorkResult<Json[]> {
  if (((statusOf(all) ?? 0) & inTransaction) !== 0) throw new Error("the query left a transaction open; it was rolled back");
  const last = all.findLastIndex((result) => result.columns !== undefined);
  const { columns = [], rows = [] } = all[last] ?? {};
  const zone = all.slice(0, Math.max(0, last)).findLast((result) => result.zone !== undefined)?.zone;
  if (zone !== undefined && !isUtc(zone) && columns.some(isMoment))
    throw new Error(`the query has set time_zone to '${zone}', and times are read as UTC: select them as texts, by DATE_FORMAT`);
  const names = columns.map(({ name }) => name);
  const value = rowsOf(names, rows, (one, i) => json(one, columns[i] ?? unknownColumn));
  return { value, reusable: session ? "renewed" : true };
}

const isUtc = (zone: string): boolean => /^(?:[+-]00:00|utc)$/i.test(zone);

const unknownColumn: Column = { name: "", columnType: 0, columnLength: 0, flags: 0 };

/**
 * Marks errors after which the session is as it was: those of a plain statement. After a batch, a procedure or a lost connection its state
 * is unknown.
 */
function refused(error: Error, text: string): Error {
  const plain = /^\s*(?:select|insert|update|delete|replace|with|show|values)\b/i.test(text) && !/;\s*\S/.test(text);
  return plain && "sqlState" in error && !("fatal" in error && error.fatal === true) ? new Refused(error) : error;
}
