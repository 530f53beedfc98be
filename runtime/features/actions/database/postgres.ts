import { createHash } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import type { Log } from "../../../process/host.ts";
import { longestWait } from "../../../value/duration.ts";
import type { Json } from "../../../value/json.ts";
import { Recent } from "../../../value/recent.ts";
import type { DriverFeature } from "../../feature.ts";
import type { Connection, Driver, QueryLimits, QueryOptions } from "../database.ts";
import { ask } from "./postgres-ask.ts";
import { begin, clientOf } from "./postgres-client.ts";
import { postgresOptions } from "./postgres-options.ts";
import { isStale, NotBegun, type Question, type Result, undetermined } from "./postgres-query.ts";
import { firstUserType, type Read, readerOf, readerOfRows, type TypeRow, textType, typeOf, typesQuery } from "./postgres-types.ts";
import { rowsOf } from "./rows.ts";
import type { Settings } from "./settings.ts";

/** PostgreSQL by pg, which is loaded when the first query asks for a connection. */
export const postgres: Driver = {
  name: "postgres",
  speaks: "postgres",
  identity: (settings) => JSON.stringify(settings),
  open: (settings, log) => {
    // A wrong setting is reported before any query waits for a connection.
    postgresOptions(settings);
    return new PostgresPool(settings, log);
  },
};

export const spec: DriverFeature = {
  summary: "PostgreSQL.",
  schemes: ["postgres", "postgresql"],
  driver: postgres,
};

/**
 * The settings of a session by which literals and columns are read, whatever the server's configuration says: with
 * `standard_conforming_strings` off a backslash in a filled hole would escape the quote after it.
 */
const session = `SET standard_conforming_strings = on; SET datestyle = ISO; SET bytea_output = hex;
  SET TIME ZONE 'UTC'; SET extra_float_digits = 1; SET intervalstyle = postgres`;

const longestNamed = 16_384;

/** A pool of connections. Nothing that happens to an idle one ends the process; the next query opens another. */
class PostgresPool implements Connection {
  readonly #settings: Settings;
  readonly #log: Log;
  #pool: Promise<Pool> | undefined;
  /** Names of prepared statements by their text; empty for a text that was seen once. */
  readonly #names = new Recent<string>(256);
  /** Params whose types the server cannot find out, by the text of the query. */
  readonly #texts = new Recent<ReadonlySet<number>>(256);
  /** Readers of the types that users of this database have made, by oid. */
  readonly #userTypes = new Map<number, Read>();

  constructor(settings: Settings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** One statement is prepared; several go by the simple protocol, which runs them as one transaction. */
  async query(text: string, params: readonly Json[] | undefined, options: QueryOptions): Promise<Json[]> {
    const several = params === undefined && /;(?!\s*$)/.test(text);
    const { session } = options;
    const result = several ? await this.#send({ text, name: "", session }, options) : await this.#one(text, params ?? [], options);
    if (result === undefined || result.rows.length === 0) return [];
    const strange = result.columns.filter(({ dataTypeID }) => dataTypeID >= firstUserType && !this.#userTypes.has(dataTypeID));
    if (strange.length > 0) await this.#learn(strange.map((column) => column.dataTypeID));
    return this.#rows(result);
  }

  async script(text: string, options: QueryOptions): Promise<void> {
    await this.#send({ text, name: "", session: options.session }, options);
  }

  /** One statement. The server finds out the types of params that have none; where it cannot they are texts, as constants would be. */
  async #one(text: string, params: readonly Json[], options: QueryOptions): Promise<Result | undefined> {
    const { typed = 0, session } = options;
    const texts = this.#texts.get(text);
    const isTyped = typed > 0 || texts !== undefined;
    const types = params.map((value, i) => (texts?.has(i + 1) ? textType : i < params.length - typed ? 0 : typeOf(value)));
    const parsers = isTyped ? { types } : {};
    const key = isTyped ? `${types.join()} ${text}` : text;
    const question: Question = {
      text,
      name: this.#nameOf(key),
      values: params.map(bound),
      session,
      ...parsers,
    };
    try {
      return await this.#send(question, options);
    } catch (error) {
      // The statement was refused before it began, and in no transaction, so nothing happens twice.
      if (error instanceof NotBegun || (question.name !== "" && isStale(error))) {
        const result = await this.#send({ ...question, name: "" }, options);
        // A wrong value would have failed again. So the prepared statement was to blame, which other connections have prepared, too.
        if (error instanceof NotBegun) this.#rename(key, question.name);
        return result;
      }
      const number = undetermined(error);
      if (number === undefined || types[number - 1] !== 0) throw error;
      this.#texts.set(text, new Set([...(texts ?? []), number]));
      return this.#one(text, params, options);
    }
  }

  async ping(): Promise<void> {
    await this.#send({ text: "SELECT 1", name: "" }, { timeout: Math.min(5000, this.#settings.timeout) });
  }

  async close(): Promise<void> {
    await (await this.#pool)?.end();
  }

  async #send(question: Question, limits: QueryLimits): Promise<Result | undefined> {
    // The protocol ends texts with NUL: what follows would be read as another message.
    if (question.text.includes("\0")) throw new Error("the query holds a NUL character");
    if (question.values !== undefined && question.values.length > 65_535) throw new Error("a query takes at most 65535 params");
    this.#pool ??= openPool(this.#settings, this.#log);
    return ask(await this.#pool, question, { ...limits, timeout: limits.timeout ?? this.#settings.timeout }, renew);
  }

  /** Prepares the statement of a text anew, under another name. */
  #rename(key: string, name: string): void {
    const [base, generation = "0"] = name.split(".");
    this.#names.set(key, `${base}.${Number(generation) + 1}`);
  }

  /**
   * The name of the prepared statement for a text. A text gets one when it is seen again, which seldom happens to texts with filled holes.
   */
  #nameOf(text: string): string {
    if (text.length > longestNamed) return "";
    const remembered = this.#names.get(text);
    if (remembered !== undefined && remembered !== "") return remembered;
    const name = remembered === undefined ? "" : `pipewright_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }

  #rows({ columns, rows }: Result): Json[] {
    const names = columns.map((column) => column.name);
    const readers = columns.map(({ dataTypeID }) => this.#userTypes.get(dataTypeID) ?? readerOf(dataTypeID));
    return rowsOf(names, rows, (text, i) => (text === null ? null : (readers[i]?.(text) ?? null)));
  }

  /** Asks which of the types are arrays, and of what; a domain counts as the type it is made of. */
  async #learn(oids: readonly number[]): Promise<void> {
    const answer = await this.#send({ text: typesQuery, name: "", values: [`{${oids.join(",")}}`] }, {});
    const rows = (answer?.rows ?? []).map(([oid, base, element]): TypeRow => [Number(oid), Number(base), Number(element)]);
    for (const oid of oids) this.#userTypes.set(oid, readerOfRows(oid, rows));
  }
}

/** A pool of connections. One that breaks is logged and replaced; it never ends the process. */
export async function openPool(settings: Settings, log: Log): Promise<Pool> {
  const { default: pg } = await import("pg");
  const { max_open_conns, max_idle_conns, conn_max_lifetime } = settings;
  const pool = new pg.Pool({
    Client: clientOf(pg.Client, settings),
    max: max_open_conns,
    min: Math.min(max_idle_conns, max_open_conns),
    maxLifetimeSeconds: Math.min(conn_max_lifetime ?? 0, longestWait) / 1000,
    onConnect: (client) => begin(client, session, settings),
  });
  pool.on("error", (error) => log("warn", `database connection lost: ${error.message}`));
  // A connection that breaks while it is in use tells its query and emits this; without a listener that would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/**
 * Renews a session. `DISCARD ALL` also forgets what the connection has set first, and prepared statements, of which pg keeps a table (pg is
 * pinned to one version).
 */
async function renew(client: PoolClient): Promise<void> {
  client.connection.parsedStatements = {};
  await client.query("DISCARD ALL");
  await client.query(session);
}

/**
 * The server types placeholders and reads texts. An array is JSON text too, so a column of type `int[]` takes `ARRAY(SELECT
 * jsonb_array_elements_text($1::jsonb)::int)`.
 */
function bound(value: Json): string | null {
  if (value === null || typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
