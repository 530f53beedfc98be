import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import type { Told } from "./runs.ts";

/** Milliseconds between two tries to have a session again. */
const pause = 1_000;

/**
 * Milliseconds between two questions over the session, and those that an answer may take. A firewall forgets a connection that stays
 * silent and tells neither end; then the server would free the lock while the node takes itself for seen.
 */
const usualEcho = 5_000;

const enter = "INSERT INTO pw_nodes (node, session) VALUES ($1, $2) ON CONFLICT (node) DO UPDATE SET session = EXCLUDED.session";

/**
 * A connection of its own that holds a lock of the database as long as the process lives: whoever can take the lock knows that the node is
 * gone. A lost connection is opened again, with another lock.
 */
export class PostgresSession {
  readonly #open: () => Promise<Pool>;
  readonly #node: string;
  readonly #told: Told;
  readonly #echoMs: number;
  /** True while others may take the node for gone. */
  #isLost = false;
  #pool: Promise<Pool> | undefined;
  #client: PoolClient | undefined;
  #isOver = false;

  /** `open` gives a pool of one connection. */
  constructor(open: () => Promise<Pool>, node: string, told: Told = () => undefined, echoMs = usualEcho) {
    this.#open = open;
    this.#echoMs = echoMs;
    this.#node = node;
    this.#told = told;
  }

  /** Opens the session. Rejects when the database does not answer; a session that is lost later comes back by itself. */
  async open(): Promise<void> {
    if (this.#client !== undefined) return;
    this.#pool ??= this.#open();
    const client = await (await this.#pool).connect();
    let isEntering = false;
    try {
      // 63 bits by chance: no two sessions have the same lock.
      const lock = String(randomBytes(8).readBigUInt64BE() >> 1n);
      await client.query("SELECT pg_advisory_lock($1::bigint)", [lock]);
      isEntering = true;
      await client.query(enter, [this.#node, lock]);
    } catch (error) {
      client.release(true);
      // The node may stand there with a lock that nobody holds.
      if (isEntering) this.#lose();
      throw error;
    }
    if (this.#isOver) return client.release(true);
    this.#client = client;
    const isGone = (): void => {
      if (this.#client === client) void this.#again(client);
    };
    client.once("error", isGone).once("end", isGone);
    if (this.#isLost) this.#told(true);
    this.#isLost = false;
    void this.#echo(client);
  }

  /** Asks over the session now and then, and opens another one when no answer comes. */
  async #echo(client: PoolClient): Promise<void> {
    for (;;) {
      await setTimeout(this.#echoMs, undefined, { ref: false });
      if (this.#client !== client) return;
      const late = setTimeout(this.#echoMs, false, { ref: false });
      const isHeard = client.query("SELECT 1").then(
        () => true,
        () => false,
      );
      if (await Promise.race([isHeard, late])) continue;
      if (this.#client === client) await this.#again(client);
      return;
    }
  }

  #lose(): void {
    if (!this.#isLost) this.#told(false);
    this.#isLost = true;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
    await (await this.#pool)?.end();
  }

  async #again(lost: PoolClient): Promise<void> {
    this.#client = undefined;
    this.#lose();
    lost.release(true);
    while (!this.#isOver && this.#client === undefined) {
      await setTimeout(pause, undefined, { ref: false });
      if (!this.#isOver) await this.open().catch(() => undefined);
    }
  }
}
