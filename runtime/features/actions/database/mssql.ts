import type { Connection as Client, Request } from "tedious";
import type { Log } from "../../../process/host.ts";
import type { Json } from "../../../value/json.ts";
import { codeOf } from "../../../value/thrown.ts";
import type { DriverFeature } from "../../feature.ts";
import type { Connection, Driver, QueryOptions } from "../database.ts";
import { mssqlOptions } from "./mssql-options.ts";
import { type Column, json } from "./mssql-types.ts";
import { asUnknown, Pool, Refused, type WorkResult } from "./pool.ts";
import { rowsOf } from "./rows.ts";
import type { Settings } from "./settings.ts";

/** SQL Server by tedious, which is loaded when the first query asks for a connection. */
export const mssql: Driver = {
  name: "mssql",
  speaks: "mssql",
  identity: (settings) => JSON.stringify(settings),
  open: (settings, log) => new MssqlPool(settings, log),
};

export const spec: DriverFeature = {
  summary: "SQL Server.",
  schemes: ["mssql", "sqlserver"],
  driver: mssql,
};

/** A connection of tedious, and its state. */
interface Line {
  readonly client: Client;
  broken: boolean;
  aborted: boolean;
}

/** Milliseconds that the server is given to stop before the connection is cut. */
const patience = 1000;

class MssqlPool implements Connection {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #pool: Pool<Line>;

  constructor(settings: Settings, log: Log) {
    this.#settings = settings;
    this.#log = log;
    this.#pool = new Pool({
      connect: () => this.#connect(),
      end: (line) => {
        if (!line.aborted) line.client.close();
      },
      abort,
      isAlive: ({ broken }) => !broken,
      renew,
      most: settings.max_open_conns,
      idle: settings.max_idle_conns,
      lifetime: settings.conn_max_lifetime,
    });
  }

  /** With params the text goes to `sp_executesql`, which keeps its plan; without as a batch. Both may hold several statements. */
  query(text: string, params: readonly Json[] | undefined, options: QueryOptions): Promise<Json[]> {
    const timeout = options.timeout ?? this.#settings.timeout;
    return this.#pool.lend({ ...options, timeout }, async (line) => {
      if (options.session !== true) return ask(line, text, params);
      // After an error of such a statement the state of the session is unknown, so the connection is dropped.
      const { value } = await ask(line, text, params).catch(asUnknown);
      return { value, reusable: "renewed" };
    });
  }

  async script(text: string, options: QueryOptions): Promise<void> {
    await this.query(text, undefined, options);
  }

  async ping(): Promise<void> {
    await this.#pool.lend({ timeout: Math.min(5000, this.#settings.timeout) }, (line) => ask(line, "SELECT 1", undefined));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #connect(): Promise<Line> {
    const { Connection: TediousConnection } = await driver();
    const line: Line = { client: new TediousConnection(mssqlOptions(this.#settings)), broken: false, aborted: false };
    const { promise, resolve, reject } = Promise.withResolvers<Line>();
    let ready = false;
    // Without a listener an error of an idle connection would end the process.
    line.client.on("error", (error) => {
      line.broken = true;
      if (ready && !line.aborted) this.#log("warn", `database connection lost: ${error.message}`);
    });
    line.client.on("end", () => {
      line.broken = true;
    });
    line.client.connect((error) => {
      ready = true;
      if (error === undefined || error === null) return resolve(line);
      line.client.close();
      reject(causeOf(error));
    });
    return promise;
  }
}

/** The package is optional: an application that imports the runtime, or `pipewright dev`, may be without it. */
const driver = (): Promise<typeof import("tedious")> =>
  import("tedious").catch((error: unknown) => {
    const isAbsent = codeOf(error) === "ERR_MODULE_NOT_FOUND";
    throw isAbsent ? new Error("SQL Server needs the package tedious, which is not installed: npm install tedious") : error;
  });

/** The cause of an error: tedious only says that it could not connect. The cause may be a failure at each address of the name. */
function causeOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return new AggregateError(error.errors);
  return error instanceof Error && error.cause instanceof Error ? causeOf(error.cause) : error;
}

/**
 * Renews the session: sets the flag of the protocol that resets it before the next batch, and runs a batch that sets what the driver relies
 * on.
 */
function renew({ client }: Line): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  client.reset((error) => (error === undefined || error === null ? resolve() : reject(error)));
  return promise;
}

/** Tells the server to stop, and closes the connection `patience` milliseconds later. */
function abort(line: Line): void {
  line.broken = true;
  line.aborted = true;
  line.client.cancel();
  setTimeout(() => line.client.close(), patience).unref();
}

interface Cell {
  readonly value: unknown;
}

/** Runs a text; the rows are those of the last statement that returns any. */
async function ask(line: Line, text: string, params: readonly Json[] | undefined): Promise<WorkResult<Json[]>> {
  const { Request, TYPES } = await driver();
  let columns: readonly Column[] = [];
  let rows: Cell[][] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request: Request = new Request(text, (error) => {
    if (error === undefined || error === null) resolve();
    else reject(refused(error, line) ? new Refused(error) : error);
  });
  request.on("columnMetadata", (described) => {
    // Columns come by their order, since no option asks for another form.
    columns = described as readonly Column[];
    rows = [];
  });
  request.on("row", (cells: Cell[]) => {
    rows.push(cells);
  });
  for (const [i, value] of (params ?? []).entries()) {
    const { type, bound } = parameter(value, TYPES);
    request.addParameter(`p${i + 1}`, type, bound);
  }
  if (params === undefined) line.client.execSqlBatch(request);
  else line.client.execSql(request);
  await promise;
  // The next user of the connection must not end up in a transaction of this one.
  if (inTransaction(line)) throw new Error("the query left a transaction open; it was rolled back");
  const names = columns.map(({ colName }) => colName);
  const value = rowsOf(names, rows, (cell, i) => json(cell.value, columns[i] ?? unknownColumn));
  return { value, reusable: true };
}

const unknownColumn: Column = { colName: "", type: { name: "" } };

/** tedious sets this private flag by the answers of the server; the package is pinned to one version. */
const inTransaction = ({ client }: Line): boolean => Reflect.get(client, "inTransaction") === true;

/** The server refused a statement and the session goes on: severities from 20 on end it. */
function refused(error: Error, line: Line): boolean {
  const severity = "class" in error ? error.class : undefined;
  return typeof severity === "number" && severity < 20 && !line.broken && !inTransaction(line);
}

type Types = typeof import("tedious").TYPES;

/** Numbers, booleans and strings as they are; objects and arrays as compact JSON text. */
function parameter(value: Json, types: Types): { readonly type: Types[keyof Types]; readonly bound: unknown } {
  if (typeof value === "boolean") return { type: types.Bit, bound: value };
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return { type: types.Float, bound: value };
    return Math.abs(value) < 2 ** 31 ? { type: types.Int, bound: value } : { type: types.BigInt, bound: value };
  }
  return { type: types.NVarChar, bound: typeof value === "object" && value !== null ? JSON.stringify(value) : value };
}
