import type { SqliteStore } from "../store/sqlite-store.ts";
import type { Use } from "../store/stores.ts";
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

/** Runs in a file of SQLite that other parts of the process use, too. */
export class SqliteHistory implements History {
  readonly #store: SqliteStore;
  readonly #release: () => void | Promise<void>;
  readonly #owner: readonly [string, string];

  constructor({ store, release }: Use<SqliteStore>, { organisation, environment }: Owner) {
    this.#owner = [organisation, environment];
    this.#store = store;
    this.#release = release;
  }

  write(entries: readonly Entry[]): Promise<void> {
    return this.#store.write(() => {
      const insert = this.#store.ask(queries.insert);
      for (const { run_uuid, parent, config, interface: target, trigger, at, ms, status, text } of entries)
        insert.run(...this.#owner, run_uuid, parent, config, target, trigger, at, ms, status, text);
    });
  }

  count({ config, interface: target, bundle }: WindowKey, runs: number, now: number): Promise<WindowState> {
    return this.#store.write(() => {
      const row = this.#store.ask(queries.count).get(...this.#owner, config, target, bundle, now, runs, runs);
      return { started: Number(row?.started), before: Number(row?.before) };
    });
  }

  async list(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage> {
    return pageOf(await this.#rows(summaryColumns, filter, limit, cursor), limit, summaryOf);
  }

  async records(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage<CapturedRun>> {
    return pageOf(await this.#rows(recordColumns, filter, limit, cursor), limit, recordIn);
  }

  /** Rows of a page and one more, which shows that another page follows. */
  #rows(columns: string, filter: RunFilter, limit: number, cursor = Number.MAX_SAFE_INTEGER) {
    const conditions = conditionsOf(filter);
    const where = ["org = ?", "env = ?", "seq < ?", ...conditions.map(({ text }) => text)].join(" AND ");
    const query = `SELECT ${columns} FROM pw_history WHERE ${where} ORDER BY seq DESC LIMIT ?`;
    const values = [...this.#owner, cursor, ...conditions.map(({ value }) => value), limit + 1];
    return this.#store.read(() => this.#store.ask(query).all(...values));
  }

  async find(id: string): Promise<CapturedRun | undefined> {
    const row = await this.#store.read(() => this.#store.ask(queries.find).get(id, ...this.#owner));
    return row === undefined ? undefined : recordIn(row);
  }

  prune(now: number): Promise<void> {
    return this.#store.write(() => {
      this.#store.ask(queries.forgetOld).run(now - retention.ms);
      this.#store.ask(queries.forgetMany).run(...this.#owner, ...this.#owner, retention.runs);
    });
  }

  close(): void | Promise<void> {
    return this.#release();
  }
}
