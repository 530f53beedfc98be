import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { privateDatabase } from "../files/private-sqlite.ts";
import type { Work } from "../threads/slices.ts";
import { Busy, type Row, type Rows } from "./local.ts";
import type { Remembering, StateKey } from "./store.ts";

const tables = `
  CREATE TABLE IF NOT EXISTS pw_state (
    ns TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, expires_at REAL,
    PRIMARY KEY (ns, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS pw_state_expiry ON pw_state (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS pw_seen (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, ns TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, expires_at REAL,
    UNIQUE (ns, key, id)
  );
  CREATE INDEX IF NOT EXISTS pw_seen_age ON pw_seen (ns, key, seq) WHERE expires_at IS NULL;
  CREATE INDEX IF NOT EXISTS pw_seen_expiry ON pw_seen (expires_at) WHERE expires_at IS NOT NULL;
`;

const queries = {
  read: "SELECT value, version, expires_at FROM pw_state WHERE ns = ? AND key = ?",
  write: "INSERT OR REPLACE INTO pw_state (ns, key, value, version, expires_at) VALUES (?, ?, ?, ?, ?)",
  remove: "DELETE FROM pw_state WHERE ns = ? AND key = ?",
  // Identities come and go as one text of JSON, since a call for each of 100,000 takes three times as long.
  known: `SELECT json_group_array(id) AS ids FROM pw_seen
    WHERE ns = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?) AND id IN (SELECT value FROM json_each(?))`,
  // An id that comes again after it expired gets a new number, and so is the newest.
  remember: "INSERT OR REPLACE INTO pw_seen (ns, key, id, expires_at) SELECT ?, ?, value, ? FROM json_each(?)",
  expiring: "SELECT count(*) AS count FROM pw_seen WHERE ns = ? AND key = ? AND expires_at > ?",
  evict: `DELETE FROM pw_seen WHERE seq IN (
    SELECT seq FROM pw_seen WHERE ns = ? AND key = ? AND expires_at IS NULL ORDER BY seq DESC LIMIT -1 OFFSET ?)`,
  sweepState: "DELETE FROM pw_state WHERE (ns, key) IN (SELECT ns, key FROM pw_state WHERE expires_at <= ? LIMIT ?)",
  sweepSeen: "DELETE FROM pw_seen WHERE seq IN (SELECT seq FROM pw_seen WHERE expires_at <= ? LIMIT ?)",
} as const;

/** Bytes of a page, as SQLite has them without another wish. */
const pageBytes = 4_096;

/** How many that have expired one sweep removes: it takes some tens of milliseconds. */
const sweptAtOnce = 10_000;

/** Pages that the empty tables need, with a few for rows. */
const leastPages = 16;

/** Milliseconds that opening waits for other processes. */
const openMs = 5_000;

/** Milliseconds that a call waits for other processes, since the whole process stands still meanwhile; then it throws `Busy`. */
const callMs = 10;

/**
 * Rows in a file, on the disk when a call returns: the journal is a WAL, and every commit is synchronised. Processes of one machine may
 * share the file: while one of them writes, calls of the others that write throw `Busy`.
 */
export class SqliteRows implements Rows {
  readonly idsOfStep = 5_000;
  readonly #db: DatabaseSync;
  readonly #ask: Readonly<Record<keyof typeof queries, StatementSync>>;

  /** `mostBytes` bounds a database that is in memory. */
  constructor(path: string, mostBytes: number) {
    this.#db = privateDatabase(path, { timeout: openMs });
    try {
      this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${tables}`);
      if (path === ":memory:") this.#db.exec(`PRAGMA max_page_count = ${Math.max(leastPages, Math.floor(mostBytes / pageBytes))}`);
      this.#db.exec(`PRAGMA busy_timeout = ${callMs}`);
      this.#ask = prepared((query) => this.#db.prepare(query));
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  atomic<T>(work: () => T): T {
    this.#begin();
    return this.#step(() => ({ done: true, value: work() })).value;
  }

  atomicSteps<T>(work: Work<T>): T | Promise<T> {
    this.#begin();
    const step = this.#step(() => work.next());
    return step.done === true ? step.value : this.#later(work);
  }

  async #later<T>(work: Work<T>): Promise<T> {
    for (;;) {
      await setImmediate();
      const step = this.#step(() => work.next());
      if (step.done === true) return step.value;
    }
  }

  /** The lock is taken at once: a transaction that begins with reading could not get it later when another process wrote meanwhile. */
  #begin(): void {
    try {
      this.#db.exec("BEGIN IMMEDIATE");
    } catch (error) {
      throw isBusy(error) ? new Busy("another process writes to the database of the state", { cause: error }) : error;
    }
  }

  /** Does a step of the transaction, which ends with the last one, and is undone when one fails. */
  #step<S extends { readonly done?: boolean | undefined }>(next: () => S): S {
    let goesOn = false;
    try {
      const step = next();
      goesOn = step.done !== true;
      if (!goesOn) this.#db.exec("COMMIT");
      return step;
    } finally {
      // A database that was closed meanwhile has undone the transaction itself.
      if (!goesOn && this.#db.isOpen && this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  read({ namespace, key }: StateKey): Row | undefined {
    const row = this.#ask.read.get(namespace, key);
    return row === undefined ? undefined : { json: String(row.value), version: Number(row.version), expires: time(row.expires_at) };
  }

  write({ namespace, key }: StateKey, { json, version, expires }: Row): void {
    this.#ask.write.run(namespace, key, json, version, expires);
  }

  remove({ namespace, key }: StateKey): void {
    this.#ask.remove.run(namespace, key);
  }

  known({ namespace, key }: StateKey, ids: readonly string[], now: number): ReadonlySet<string> {
    const present: readonly string[] = JSON.parse(String(this.#ask.known.get(namespace, key, now, JSON.stringify(ids))?.ids));
    return new Set(present);
  }

  remember({ namespace, key }: StateKey, ids: readonly string[], { expires, cap }: Remembering): void {
    this.#ask.remember.run(namespace, key, expires, JSON.stringify(ids));
    if (expires === null) this.#ask.evict.run(namespace, key, cap);
  }

  expiring({ namespace, key }: StateKey, now: number): number {
    return Number(this.#ask.expiring.get(namespace, key, now)?.count);
  }

  sweep(now: number): void {
    this.#ask.sweepState.run(now, sweptAtOnce);
    this.#ask.sweepSeen.run(now, sweptAtOnce);
  }

  close(): void {
    this.#db.close();
  }
}

/** The primary code of SQLITE_BUSY is the last byte of any of its codes. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === 5;

const time = (value: unknown): number | null => (typeof value === "number" ? value : null);

function prepared(prepare: (query: string) => StatementSync): Record<keyof typeof queries, StatementSync> {
  const { read, write, remove, known, remember, expiring, evict, sweepState, sweepSeen } = queries;
  return {
    read: prepare(read),
    write: prepare(write),
    remove: prepare(remove),
    known: prepare(known),
    remember: prepare(remember),
    expiring: prepare(expiring),
    evict: prepare(evict),
    sweepState: prepare(sweepState),
    sweepSeen: prepare(sweepSeen),
  };
}
