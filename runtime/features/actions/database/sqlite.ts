import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import type { Json } from "../../../value/json.ts";
import { Recent } from "../../../value/recent.ts";
import { codeOf } from "../../../value/thrown.ts";
import { string } from "../../../value/values.ts";
import type { DriverFeature } from "../../feature.ts";
import type { Connection, Driver, QueryOptions } from "../database.ts";
import { float, integer, rowsOf } from "./rows.ts";
import type { Settings } from "./settings.ts";
import { fileOf, memory } from "./sqlite-file.ts";

/**
 * SQLite in the process. One connection per file serves all configs: calls are synchronous, so queries never interleave, and neither a
 * timeout nor a cancelled run can stop one that has begun. Foreign keys are on, the journal is a WAL, a lock is awaited for 5 s.
 */
export const sqlite: Driver = {
  name: "sqlite",
  speaks: "sqlite",
  identity: (settings, config) => {
    const { path, mode } = fileOf(settings);
    return path === memory ? `${memory} of ${config}` : `${path} ${mode === "ro" ? "ro" : "rw"}`;
  },
  open: (settings) => new SqliteConnection(settings),
};

export const spec: DriverFeature = {
  summary: "SQLite, in a file or in memory.",
  schemes: ["sqlite"],
  settings: {
    synchronous: {
      type: "string",
      enum: ["OFF", "NORMAL", "FULL", "EXTRA", "off", "normal", "full", "extra"],
      default: "NORMAL",
      description: "How SQLite waits for the disk.",
    },
  },
  driver: sqlite,
};

/** Characters of the longest text whose statement is kept: one with filled holes is seldom seen twice. */
const longestKept = 16_384;

function openFile(settings: Settings): DatabaseSync {
  const { path, mode } = fileOf(settings);
  // node:sqlite always creates a file that it may write
  if (mode === "rw" && !existsSync(path)) throw new Error("unable to open database file");
  const setting = string(settings.given.synchronous ?? null) ?? "NORMAL";
  const synchronous = /^(?:OFF|NORMAL|FULL|EXTRA)$/i.exec(setting)?.[0];
  if (synchronous === undefined) throw new Error(`synchronous is OFF, NORMAL, FULL or EXTRA, not '${setting}'`);
  const db = new DatabaseSync(path, { readOnly: mode === "ro", enableForeignKeyConstraints: true, timeout: 5000 });
  if (mode === "ro") return db;
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A statement and its columns. The columns are undefined when a `*` makes them depend on the schema at the time of the call. */
interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[] | undefined;
}

class SqliteConnection implements Connection {
  readonly #settings: Settings;
  /** Undefined after a query that may have changed the session: the next one opens the file anew. */
  #opened: DatabaseSync | undefined;
  /** SQLite compiles a statement anew by itself when the schema has changed. */
  #prepared = new Recent<Prepared>(256);

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#opened = openFile(settings);
  }

  get #db(): DatabaseSync {
    this.#opened ??= openFile(this.#settings);
    return this.#opened;
  }

  async query(text: string, params: readonly Json[] | undefined, options?: QueryOptions): Promise<Json[]> {
    return this.#closed(options, () => {
      const statement = this.#prepared.get(text);
      return statement === undefined ? this.#first(text, params) : rows(statement, params);
    });
  }

  async script(text: string, options?: QueryOptions): Promise<void> {
    this.#closed(options, () => this.#db.exec(text));
  }

  async ping(): Promise<void> {
    this.#db.prepare("SELECT 1").get();
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  /** Runs a text that was not seen lately; one that is a single statement is kept. */
  #first(text: string, params: readonly Json[] | undefined): Json[] {
    const statement = this.#prepare(text);
    if (statement === undefined) return [];
    if (!this.#isBlank(text.slice(statement.sourceSQL.length))) {
      if (params !== undefined) throw new Error("a query with params holds one statement");
      return this.#each(text);
    }
    const prepared = describe(statement, text);
    if (text.length <= longestKept) this.#prepared.set(text, prepared);
    return rows(prepared, params);
  }

  /** Statement by statement, each prepared when it is its turn: it may use what an earlier one has created. */
  #each(text: string): Json[] {
    let last: Json[] = [];
    let rest = text;
    for (let statement = this.#prepare(rest); statement !== undefined; statement = this.#prepare(rest)) {
      const objects = rows(describe(statement, rest), undefined);
      if (statement.columns().length > 0) last = objects;
      rest = rest.slice(statement.sourceSQL.length);
    }
    return last;
  }

  /** The first statement of the text, read as far as its `sourceSQL`; undefined when only blanks and comments are left. */
  #prepare(text: string): StatementSync | undefined {
    try {
      return this.#db.prepare(text, { returnArrays: true, readBigInts: true });
    } catch (error) {
      if (codeOf(error) === "ERR_INVALID_ARG_VALUE") return undefined;
      throw error;
    }
  }

  #isBlank(text: string): boolean {
    if (text.trim() === "") return true;
    try {
      return this.#prepare(text) === undefined;
    } catch {
      // The text cannot be prepared yet, so it is not empty.
      return false;
    }
  }

  /**
   * Runs work on the shared connection. A transaction that it leaves open is rolled back, since the writes of other configs would become a
   * part of it. A session that it has changed is renewed.
   */
  #closed<T>(options: QueryOptions | undefined, work: () => T): T {
    const db = this.#db;
    try {
      const result = work();
      if (db.isTransaction) throw new Error("the query left a transaction open; it was rolled back");
      return result;
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
      if (options?.session === true) this.#renew();
    }
  }

  /** A database in memory is the session itself, so it stays. */
  #renew(): void {
    if (fileOf(this.#settings).path === memory) return;
    this.close();
    this.#prepared = new Recent<Prepared>(256);
  }
}

function describe(statement: StatementSync, text: string): Prepared {
  return { statement, columns: /\*(?!\s*\))/.test(text) ? undefined : names(statement) };
}

const names = (statement: StatementSync): string[] => statement.columns().map((column) => column.name);

function rows({ statement, columns }: Prepared, params: readonly Json[] | undefined): Json[] {
  // node types rows as objects; `returnArrays` was set when the statement was prepared
  const lists = (params === undefined ? statement.all() : statement.all(...params.map(bound))) as unknown as SQLOutputValue[][];
  if (lists.length === 0) return [];
  const keys = columns ?? names(statement);
  return rowsOf(keys, lists, json);
}

/** Whole numbers are bound as integers: SQLite would store 5.0 as text `5.0`. */
function bound(value: Json): SQLInputValue {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}

function json(value: SQLOutputValue): Json {
  if (typeof value === "bigint") return integer(value);
  if (typeof value === "number") return float(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
