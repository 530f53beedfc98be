import type { SqliteStore } from "../store/sqlite-store.ts";
import type { Work } from "../threads/slices.ts";
import type { Row, Rows } from "./local.ts";
import type { Remembering, StateKey } from "./store.ts";

const queries = {
  read: "SELECT value, version, expires_at FROM pw_state WHERE ns = ? AND key = ?",
  write: "INSERT OR REPLACE INTO pw_state (ns, key, value, version, expires_at) VALUES (?, ?, ?, ?, ?)",
  remove: "DELETE FROM pw_state WHERE ns = ? AND key = ?",
  // Identities are passed as one text of JSON, because a call for each of 100,000 takes three times as long.
  known: `SELECT json_group_array(id) AS ids FROM pw_seen
    WHERE ns = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?) AND coalesce(mark = ?, 0) = 0
      AND id IN (SELECT value FROM json_each(?))`,
  // An id that comes again after its expiry gets a new number, which makes it the newest.
  remember: "INSERT OR REPLACE INTO pw_seen (ns, key, id, expires_at, mark) SELECT ?, ?, value, ?, ? FROM json_each(?)",
  expiring: "SELECT count(*) AS count FROM pw_seen WHERE ns = ? AND key = ? AND expires_at > ?",
  evict: `DELETE FROM pw_seen WHERE seq IN (
    SELECT seq FROM pw_seen WHERE ns = ? AND key = ? AND expires_at IS NULL ORDER BY seq DESC LIMIT -1 OFFSET ?)`,
  sweepState: "DELETE FROM pw_state WHERE (ns, key) IN (SELECT ns, key FROM pw_state WHERE expires_at <= ? LIMIT ?)",
  sweepSeen: "DELETE FROM pw_seen WHERE seq IN (SELECT seq FROM pw_seen WHERE expires_at <= ? LIMIT ?)",
} as const;

/** The number of expired rows that one sweep removes, which takes some tens of milliseconds. */
const sweptAtOnce = 10_000;

/** State in a file that other parts of the process use, too. A write is on the disk when its result comes. */
export class SqliteRows implements Rows {
  readonly idsOfStep = 5_000;
  readonly #store: SqliteStore;
  readonly #release: () => void;

  /** `release` is called in `close`; without it, `close` closes the store. */
  constructor(store: SqliteStore, release: () => void = () => store.close()) {
    this.#store = store;
    this.#release = release;
  }

  atomic<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    return this.#store.write(work, signal);
  }

  reading<T>(work: () => T): Promise<T> {
    return this.#store.read(work);
  }

  atomicSteps<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
    return this.#store.steps(work, signal);
  }

  read({ namespace, key }: StateKey): Row | undefined {
    const row = this.#store.ask(queries.read).get(namespace, key);
    return row === undefined ? undefined : { json: String(row.value), version: Number(row.version), expires: time(row.expires_at) };
  }

  write({ namespace, key }: StateKey, { json, version, expires }: Row): void {
    this.#store.ask(queries.write).run(namespace, key, json, version, expires);
  }

  remove({ namespace, key }: StateKey): void {
    this.#store.ask(queries.remove).run(namespace, key);
  }

  known({ namespace, key }: StateKey, ids: readonly string[], now: number, mark?: string): ReadonlySet<string> {
    const present: readonly string[] = JSON.parse(
      String(this.#store.ask(queries.known).get(namespace, key, now, mark ?? null, JSON.stringify(ids))?.ids),
    );
    return new Set(present);
  }

  remember({ namespace, key }: StateKey, ids: readonly string[], { expires, cap, mark }: Remembering): void {
    this.#store.ask(queries.remember).run(namespace, key, expires, mark ?? null, JSON.stringify(ids));
    if (expires === null) this.#store.ask(queries.evict).run(namespace, key, cap);
  }

  expiring({ namespace, key }: StateKey, now: number): number {
    return Number(this.#store.ask(queries.expiring).get(namespace, key, now)?.count);
  }

  sweep(now: number): void {
    this.#store.ask(queries.sweepState).run(now, sweptAtOnce);
    this.#store.ask(queries.sweepSeen).run(now, sweptAtOnce);
  }

  close(): void {
    this.#release();
  }
}

const time = (value: unknown): number | null => (typeof value === "number" ? value : null);
