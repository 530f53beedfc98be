import type { Pool, PoolClient } from "pg";
import { PostgresBatch, Prepared, type Statement } from "../store/postgres-batch.ts";
import type { PostgresStore } from "../store/postgres-store.ts";
import type { Heard, Kept } from "./bus.ts";
import type { Sent } from "./local-bus.ts";
import {
  channelOf,
  heardOf,
  keptOf,
  type Notification,
  plain,
  publishing,
  readKept,
  readLog,
  readLogOf,
  readNotification,
  readRings,
  trimRings,
} from "./postgres-texts.ts";
import { Silence } from "./silence.ts";

/** The events that a line reports to its bus. */
export interface LineEvents {
  readonly notified: (notification: Notification) => void;
  /** Another process, or this one, has sent its sign of life. */
  readonly beat: (source: string) => void;
  /** The connection is lost; reported once. */
  readonly lost: (error: Error) => void;
  /** True when a question has waited for `unansweredMs`; false when one is answered again. */
  readonly silent: (isSilent: boolean) => void;
}

export interface LineOptions extends LineEvents {
  readonly store: PostgresStore;
  readonly organisation: string;
  readonly environment: string;
  readonly source: string;
  readonly unansweredMs: number;
}

/** The kept messages as they are at a position. */
export interface Snapshot {
  readonly position: number;
  readonly kept: readonly Kept[];
}

type PostgresResults = readonly (readonly Readonly<Record<string, unknown>>[])[];
type Row = Readonly<Record<string, string | null>>;

/** Milliseconds that one question may take; after that the line counts as lost. */
const patience = 5_000;

/** Settings of the session: a commit need not wait for the disk, and a dead network is noticed. */
const session = `SET synchronous_commit = off; SET statement_timeout = ${patience}; SET lock_timeout = ${patience};
  SET idle_in_transaction_session_timeout = ${patience}; SET tcp_user_timeout = 10000`;

/** One connection of the bus to the database, until it is lost. */
export class PostgresLine {
  readonly #options: LineOptions;
  readonly #pool: Pool;
  readonly #client: PoolClient;
  readonly #prepared = new Prepared();
  readonly #silence: Silence;
  #channel = "";
  #encode = (json: string): string => json;
  #isOver = false;

  private constructor(options: LineOptions, pool: Pool, client: PoolClient) {
    this.#options = options;
    this.#pool = pool;
    this.#client = client;
    this.#silence = new Silence(options.unansweredMs, (isSilent) => this.#isOver || options.silent(isSilent));
  }

  /** Connects, listens, and takes the lock that shows other processes that this one lives. */
  static async open(options: LineOptions): Promise<PostgresLine> {
    const pool = await options.store.single();
    let line: PostgresLine | undefined;
    try {
      line = new PostgresLine(options, pool, await pool.connect());
      await line.#begin();
      return line;
    } catch (error) {
      if (line === undefined) await pool.end();
      else line.close();
      throw error;
    }
  }

  /** Gives these messages their positions and notifies all processes; the messages come back as notifications. */
  async publish(messages: readonly Sent[]): Promise<void> {
    await this.#batch(publishing(this.#channel, messages, this.#encode));
  }

  /** Messages after a position, up to and including another one. */
  async log(after: number, upTo: number): Promise<readonly Heard[]> {
    return (await this.#ask(readLog, [this.#channel, after, upTo])).map(heardOf);
  }

  async logOf(kind: string, after: number): Promise<readonly Heard[]> {
    return (await this.#ask(readLogOf, [this.#channel, after, kind])).map(heardOf);
  }

  /** The last position; 0 before the first message. */
  async position(): Promise<number> {
    const [row] = await this.#ask("SELECT coalesce(max(position), 0) AS position FROM pw_bus_log WHERE channel = $1", [this.#channel]);
    return Number(row?.position);
  }

  /** All kept messages, at one position. */
  async snapshot(): Promise<Snapshot> {
    await this.#ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", []);
    const position = await this.position();
    const last = (await this.#ask(readKept, [this.#channel])).map(keptOf);
    const rings = (await this.#ask(readRings, [this.#channel])).map(keptOf);
    await this.#ask("COMMIT", []);
    return { position, kept: [...last, ...rings].sort((a, b) => a.position - b.position) };
  }

  /**
   * Gives a sign of life, and lists processes that have lost their lock. `usage` is the filled part of the server's queue of notifications,
   * from 0 to 1.
   */
  async look(): Promise<{ readonly missing: readonly string[]; readonly usage: number }> {
    const [nodes = [], usage = []] = await this.#batch([
      { text: missing, values: [this.#channel] },
      { text: "SELECT pg_notification_queue_usage() AS usage", values: [] },
      { text: "SELECT pg_notify($1, $2)", values: [this.#channel, `beat ${this.#options.source}`] },
    ]);
    return { missing: nodes.map(({ source }) => source ?? ""), usage: Number(usage[0]?.usage) };
  }

  /** Removes messages up to a position, except the last one, from which later positions are counted. */
  async prune(position: number): Promise<void> {
    const last = "(SELECT max(position) FROM pw_bus_log WHERE channel = $1)";
    const text = `DELETE FROM pw_bus_log WHERE channel = $1 AND position <= $2::bigint AND position < ${last}`;
    await this.#batch([
      { text, values: [this.#channel, position] },
      { text: trimRings, values: [this.#channel] },
    ]);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#client.release(true);
    void this.#pool.end();
  }

  async #begin(): Promise<void> {
    const client = this.#client;
    const { organisation, environment, source, notified, beat } = this.#options;
    client.on("error", (error) => this.#lose(error));
    client.on("end", () => this.#lose(new Error("the connection has ended")));
    client.on("notification", ({ channel, payload = "" }) => {
      if (channel !== this.#channel || this.#isOver) return;
      if (payload.startsWith("beat ")) beat(payload.slice(5));
      else notified(readNotification(payload));
    });
    await client.query(session);
    const [row] = await this.#ask("SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding", []);
    if (row?.encoding !== "UTF8") this.#encode = plain;
    this.#channel = channelOf(row?.schema ?? "", organisation, environment);
    const values = [this.#channel, source];
    // An earlier connection of this process must have ended before any message is sent again.
    await this.#ask(endEarlier, values);
    await this.#ask(takeLock, [source]);
    await this.#ask(enter, values);
    await client.query(`LISTEN ${this.#channel}`);
  }

  async #ask(text: string, values: Statement["values"]): Promise<readonly Row[]> {
    return (await this.#batch([{ text, values }]))[0] ?? [];
  }

  #batch(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => done(new Error("the database does not answer")), patience);
      const answered = this.#silence.asked();
      const done = (error: Error | undefined, results: PostgresResults = []): void => {
        clearTimeout(late);
        answered(error === undefined);
        // The server sends every value as text.
        if (error === undefined) resolve(results as readonly (readonly Row[])[]);
        else {
          reject(error);
          this.#lose(error);
        }
      };
      this.#client.query(new PostgresBatch(statements, this.#prepared, done));
    });
  }

  #lose(error: Error): void {
    if (this.#isOver) return;
    this.close();
    this.#options.lost(error);
  }
}

const lockOf = "hashtextextended('pipewright ' || $1, 0)";

const takeLock = `SELECT pg_advisory_lock(${lockOf})`;

const held = `FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database AND d.datname = current_database()
  WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND ((l.classid::bigint << 32) | l.objid::bigint) = n.lock`;

const endEarlier = `SELECT pg_terminate_backend(l.pid) FROM pw_bus_nodes AS n, LATERAL (SELECT l.pid ${held}) AS l
  WHERE n.channel = $1 AND n.source = $2 AND l.pid <> pg_backend_pid()`;

const enter = `INSERT INTO pw_bus_nodes (channel, source, lock, pid)
  VALUES ($1, $2, hashtextextended('pipewright ' || $2, 0), pg_backend_pid())
  ON CONFLICT (channel, source) DO UPDATE SET pid = EXCLUDED.pid`;

const missing = `SELECT n.source FROM pw_bus_nodes AS n WHERE n.channel = $1 AND NOT EXISTS (SELECT ${held})`;
