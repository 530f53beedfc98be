import type { DatabaseSync, StatementSync } from "node:sqlite";
import { privateDatabase } from "../files/private-sqlite.ts";
import type { Row, Rows } from "./local.ts";
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
  remembered: "SELECT expires_at FROM pw_seen WHERE ns = ? AND key = ? AND id = ?",
  // An id that comes again after it expired gets a new number, and so is the newest.
  remember: "INSERT OR REPLACE INTO pw_seen (ns, key, id, expires_at) VALUES (?, ?, ?, ?)",
  expiring: "SELECT count(*) AS count FROM pw_seen WHERE ns = ? AND key = ? AND expires_at > ?",
  evict: `DELETE FROM pw_seen WHERE seq IN (
    SELECT seq FROM pw_seen WHERE ns = ? AND key = ? AND expires_at IS NULL ORDER BY seq DESC LIMIT -1 OFFSET ?)`,
  sweepState: "DELETE FROM pw_state WHERE expires_at <= ?",
  sweepSeen: "DELETE FROM pw_seen WHERE expires_at <= ?",
} as const;

/** Bytes of a page, as SQLite has them without another wish. */
const pageBytes = 4_096;

/** Pages that the empty tables need, with a few for rows. */
const leastPages = 16;

/**
 * Rows in a file, on the disk when a call returns: the journal is a WAL, and every commit is synchronised. Processes of one machine may
 * share the file; each waits up to 5 s for the others.
 */
export class SqliteRows implements Rows {
  readonly #db: DatabaseSync;
  readonly #ask: Readonly<Record<keyof typeof queries, StatementSync>>;

  /** `mostBytes` bounds a database that is in memory. */
  constructor(path: string, mostBytes: number) {
    this.#db = privateDatabase(path, { timeout: 5000 });
    try {
      this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${tables}`);
      if (path === ":memory:") this.#db.exec(`PRAGMA max_page_count = ${Math.max(leastPages, Math.floor(mostBytes / pageBytes))}`);
      this.#ask = prepared((query) => this.#db.prepare(query));
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** The lock is taken at once: a transaction that begins with reading could not get it later when another process wrote meanwhile. */
  atomic<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      return result;
    } finally {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
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

  remembered({ namespace, key }: StateKey, id: string): number | null | undefined {
    const row = this.#ask.remembered.get(namespace, key, id);
    return row === undefined ? undefined : time(row.expires_at);
  }

  remember({ namespace, key }: StateKey, ids: readonly string[], { expires, cap }: Remembering): void {
    for (const id of ids) this.#ask.remember.run(namespace, key, id, expires);
    if (expires === null && ids.length > 0) this.#ask.evict.run(namespace, key, cap);
  }

  expiring({ namespace, key }: StateKey, now: number): number {
    return Number(this.#ask.expiring.get(namespace, key, now)?.count);
  }

  sweep(now: number): void {
    this.#ask.sweepState.run(now);
    this.#ask.sweepSeen.run(now);
  }

  close(): void {
    this.#db.close();
  }
}

const time = (value: unknown): number | null => (typeof value === "number" ? value : null);

function prepared(prepare: (query: string) => StatementSync): Record<keyof typeof queries, StatementSync> {
  const { read, write, remove, remembered, remember, expiring, evict, sweepState, sweepSeen } = queries;
  return {
    read: prepare(read),
    write: prepare(write),
    remove: prepare(remove),
    remembered: prepare(remembered),
    remember: prepare(remember),
    expiring: prepare(expiring),
    evict: prepare(evict),
    sweepState: prepare(sweepState),
    sweepSeen: prepare(sweepSeen),
  };
}
