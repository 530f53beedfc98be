import type { DatabaseSync } from "node:sqlite";
import { privateDatabase } from "../files/private-sqlite.ts";
import {
  type CapturedRun,
  type Entry,
  type History,
  type RunFilter,
  type RunPage,
  retention,
  type WindowKey,
  type WindowState,
} from "./recording.ts";
import { conditionsOf, type Owner, pageOf, recordColumns, recordIn, summaryColumns, summaryOf } from "./rows.ts";

const tables = `
  CREATE TABLE IF NOT EXISTS pw_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, org TEXT NOT NULL, env TEXT NOT NULL, run_uuid TEXT NOT NULL, parent TEXT,
    config TEXT NOT NULL, interface TEXT NOT NULL, trigger TEXT NOT NULL, started REAL NOT NULL, ms INTEGER NOT NULL,
    status INTEGER NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS pw_history_order ON pw_history (org, env, seq);
  CREATE INDEX IF NOT EXISTS pw_history_run ON pw_history (run_uuid);
  CREATE INDEX IF NOT EXISTS pw_history_started ON pw_history (started);
  CREATE TABLE IF NOT EXISTS pw_capture (
    org TEXT NOT NULL, env TEXT NOT NULL, config TEXT NOT NULL, interface TEXT NOT NULL, bundle TEXT NOT NULL,
    started REAL NOT NULL, runs INTEGER NOT NULL, PRIMARY KEY (org, env, config, interface, bundle)
  ) WITHOUT ROWID;
`;

const queries = {
  insert: `INSERT INTO pw_history (org, env, run_uuid, parent, config, interface, trigger, started, ms, status, record)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  count: `INSERT INTO pw_capture (org, env, config, interface, bundle, started, runs) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (org, env, config, interface, bundle) DO UPDATE SET runs = runs + excluded.runs
    RETURNING started, runs - ? AS before`,
  find: "SELECT record FROM pw_history WHERE run_uuid = ? AND org = ? AND env = ? ORDER BY seq DESC LIMIT 1",
  forgetOld: "DELETE FROM pw_history WHERE started < ?",
  forgetMany: `DELETE FROM pw_history WHERE org = ? AND env = ? AND seq <= (
    SELECT seq FROM pw_history WHERE org = ? AND env = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
} as const;

/**
 * Runs in a SQLite file. Unlike the state they may be lost when the machine loses power: a commit does not wait for the disk. Another
 * process that writes is waited for only briefly, since nothing else of this one goes on meanwhile; what could not be written is written
 * later.
 */
export class SqliteHistory implements History {
  readonly #db: DatabaseSync;
  readonly #owner: readonly [string, string];

  constructor(path: string, { organisation, environment }: Owner) {
    this.#owner = [organisation, environment];
    this.#db = privateDatabase(path, { timeout: 250 });
    try {
      this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${tables}`);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  async write(entries: readonly Entry[]): Promise<void> {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const insert = this.#db.prepare(queries.insert);
      for (const { run_uuid, parent, config, interface: target, trigger, at, ms, status, text } of entries)
        insert.run(...this.#owner, run_uuid, parent, config, target, trigger, at, ms, status, text);
      this.#db.exec("COMMIT");
    } finally {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  async count({ config, interface: target, bundle }: WindowKey, runs: number, now: number): Promise<WindowState> {
    const row = this.#db.prepare(queries.count).get(...this.#owner, config, target, bundle, now, runs, runs);
    return { started: Number(row?.started), before: Number(row?.before) };
  }

  async list(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage> {
    return pageOf(this.#rows(summaryColumns, filter, limit, cursor), limit, summaryOf);
  }

  async records(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage<CapturedRun>> {
    return pageOf(this.#rows(recordColumns, filter, limit, cursor), limit, recordIn);
  }

  /** One more than a page holds. */
  #rows(columns: string, filter: RunFilter, limit: number, cursor = Number.MAX_SAFE_INTEGER) {
    const conditions = conditionsOf(filter);
    const where = ["org = ?", "env = ?", "seq < ?", ...conditions.map(({ text }) => text)].join(" AND ");
    const query = `SELECT ${columns} FROM pw_history WHERE ${where} ORDER BY seq DESC LIMIT ?`;
    const values = [...this.#owner, cursor, ...conditions.map(({ value }) => value), limit + 1];
    return this.#db.prepare(query).all(...values);
  }

  async find(id: string): Promise<CapturedRun | undefined> {
    const row = this.#db.prepare(queries.find).get(id, ...this.#owner);
    return row === undefined ? undefined : recordIn(row);
  }

  async prune(now: number): Promise<void> {
    this.#db.prepare(queries.forgetOld).run(now - retention.ms);
    this.#db.prepare(queries.forgetMany).run(...this.#owner, ...this.#owner, retention.runs);
  }

  close(): void {
    this.#db.close();
  }
}
