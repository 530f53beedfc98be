import type { PostgresStore } from "../store/postgres-store.ts";
import type { Row } from "../store/run-rows.ts";
import type { Use } from "../store/stores.ts";
import type { JsonObject } from "../value/json.ts";
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

const insert = `INSERT INTO pw_history (org, env, run_uuid, parent, config, interface, trigger, started, ms, status, record)
  SELECT $1, $2, run_uuid, parent, config, interface, trigger, at, ms, status, text FROM json_to_recordset($3::json) AS r (
    run_uuid text, parent text, config text, interface text, trigger text, at double precision, ms double precision, status integer, text text)`;

const count = `INSERT INTO pw_capture AS c (org, env, config, interface, bundle, started, runs) VALUES ($1, $2, $3, $4, $5, $6, $7::bigint)
  ON CONFLICT (org, env, config, interface, bundle) DO UPDATE SET runs = c.runs + EXCLUDED.runs
  RETURNING started, (runs - $7::bigint)::double precision AS before`;

const find = "SELECT record FROM pw_history WHERE run_uuid = $1 AND org = $2 AND env = $3 ORDER BY seq DESC LIMIT 1";

const forgetOld = "DELETE FROM pw_history WHERE started < $1";

const forgetMany = `DELETE FROM pw_history WHERE org = $1 AND env = $2 AND seq <= (
  SELECT seq FROM pw_history WHERE org = $1 AND env = $2 ORDER BY seq DESC LIMIT 1 OFFSET $3::bigint)`;

/** Runs in a database of PostgreSQL, which the nodes of a service share. */
export class PostgresHistory implements History {
  readonly #store: PostgresStore;
  readonly #release: () => void | Promise<void>;
  readonly #owner: readonly [string, string];

  constructor({ store, release }: Use<PostgresStore>, { organisation, environment }: Owner) {
    this.#store = store;
    this.#release = release;
    this.#owner = [organisation, environment];
  }

  async write(entries: readonly Entry[]): Promise<void> {
    await this.#ask(insert, [...this.#owner, JSON.stringify(entries.map(storable))]);
  }

  async count({ config, interface: target, bundle }: WindowKey, runs: number, now: number): Promise<WindowState> {
    const [row] = await this.#ask(count, [...this.#owner, plain(config), plain(target), bundle, now, runs]);
    return { started: Number(row?.started), before: Number(row?.before) };
  }

  async list(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage> {
    return pageOf(await this.#rows(summaryColumns, filter, limit, cursor), limit, summaryOf);
  }

  async records(filter: RunFilter, limit: number, cursor?: number): Promise<RunPage<CapturedRun>> {
    return pageOf(await this.#rows(recordColumns, filter, limit, cursor), limit, recordIn);
  }

  /** Rows of a page and one more, which shows that another page follows. */
  #rows(columns: string, filter: RunFilter, limit: number, cursor = Number.MAX_SAFE_INTEGER): Promise<readonly Row[]> {
    const conditions = conditionsOf(filter).map(({ text }, i) => text.replace("?", `$${i + 4}`));
    const values = conditionsOf(filter).map(({ value }) => (typeof value === "string" ? plain(value) : value));
    const where = ["org = $1", "env = $2", "seq < $3::bigint", ...conditions].join(" AND ");
    const query = `SELECT ${columns} FROM pw_history WHERE ${where} ORDER BY seq DESC LIMIT ${limit + 1}`;
    return this.#ask(query, [...this.#owner, cursor, ...values]);
  }

  async find(id: string): Promise<CapturedRun | undefined> {
    const [row] = await this.#ask(find, [plain(id), ...this.#owner]);
    return row === undefined ? undefined : recordIn(row);
  }

  async prune(now: number): Promise<void> {
    await this.#ask(forgetOld, [now - retention.ms]);
    await this.#ask(forgetMany, [...this.#owner, retention.runs]);
  }

  close(): void | Promise<void> {
    return this.#release();
  }

  /** Pages and batches may be large: each is sent by itself, so that other queries do not wait for them. */
  async #ask(text: string, values: readonly (string | number)[]): Promise<readonly Row[]> {
    const [rows = []] = await this.#store.alone({ text, values });
    return rows;
  }
}

/** A text of PostgreSQL holds no NUL character; in the record it is escaped. */
const plain = (text: string): string => text.replaceAll("\0", "\ufffd");

const storable = ({ config, interface: target, trigger, ...rest }: Entry): JsonObject => ({
  ...rest,
  config: plain(config),
  interface: plain(target),
  trigger,
});
