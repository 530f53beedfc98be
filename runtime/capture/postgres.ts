import { postgres } from "../features/actions/database/postgres.ts";
import { masked, readSettings } from "../features/actions/database/settings.ts";
import type { Connection } from "../features/actions/database.ts";
import type { Log } from "../process/host.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
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

/** Milliseconds for one query, its wait for a connection included. */
const timeout = 5000;

/** Nodes that start together take turns: `IF NOT EXISTS` alone lets two of them create the same table. */
const tables = `
  SELECT pg_advisory_xact_lock(hashtext('pipewright'), hashtext('pw_history'));
  CREATE TABLE IF NOT EXISTS pw_history (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, org text NOT NULL, env text NOT NULL, run_uuid text NOT NULL, parent text,
    config text NOT NULL, interface text NOT NULL, trigger text NOT NULL, started double precision NOT NULL, ms double precision NOT NULL,
    status integer NOT NULL, record text NOT NULL
  );
  CREATE INDEX IF NOT EXISTS pw_history_order ON pw_history (org, env, seq);
  CREATE INDEX IF NOT EXISTS pw_history_run ON pw_history (run_uuid);
  CREATE INDEX IF NOT EXISTS pw_history_started ON pw_history (started);
  CREATE TABLE IF NOT EXISTS pw_capture (
    org text NOT NULL, env text NOT NULL, config text NOT NULL, interface text NOT NULL, bundle text NOT NULL,
    started double precision NOT NULL, runs bigint NOT NULL, PRIMARY KEY (org, env, config, interface, bundle)
  );
`;

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

/** Runs in a PostgreSQL database, which the nodes of a service share. */
export function postgresHistory(address: string, owner: Owner, log: Log): History {
  const settings = readSettings({ conn_string: address, max_open_conns: 2 });
  return new PostgresHistory(postgres.open(settings, log), owner, (message) => masked(message, settings));
}

class PostgresHistory implements History {
  readonly #connection: Connection;
  readonly #owner: readonly [string, string];
  /** Hides what a driver may quote of the address. */
  readonly #masked: (message: string) => string;
  #tables: Promise<void> | undefined;

  constructor(connection: Connection, { organisation, environment }: Owner, hides: (message: string) => string) {
    this.#connection = connection;
    this.#owner = [organisation, environment];
    this.#masked = hides;
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

  /** One more than a page holds. */
  #rows(columns: string, filter: RunFilter, limit: number, cursor = Number.MAX_SAFE_INTEGER): Promise<JsonObject[]> {
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
    return this.#connection.close();
  }

  async #ask(query: string, params: readonly Json[]): Promise<JsonObject[]> {
    try {
      this.#tables ??= this.#connection.script(tables, { timeout });
      await this.#tables.catch((error: unknown) => {
        // Tried again by the next question.
        this.#tables = undefined;
        throw error;
      });
      return (await this.#connection.query(query, params, { timeout })).filter(isObject);
    } catch (error) {
      throw new Error(this.#masked(error instanceof Error ? error.message : String(error)), { cause: error });
    }
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
