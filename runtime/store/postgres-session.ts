import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import type { OnSeen } from "./runs.ts";

/** Milliseconds between two attempts to open a lost session again. */
const pause = 1_000;

/**
 * Milliseconds between two test queries of a session, and the longest wait for an answer. A firewall may drop a silent connection without a
 * word to either end; the server would then free the lock while the node still relies on it.
 */
const usualEcho = 5_000;

const enter = "INSERT INTO pw_nodes (node, session) VALUES ($1, $2) ON CONFLICT (node) DO UPDATE SET session = EXCLUDED.session";

/**
 * A connection of its own that holds a lock of the database as long as the process lives: a node that can take the lock knows that this
 * node has ended. A lost connection is opened again, with another lock.
 */
export class PostgresSession {
  readonly #open: () => Promise<Pool>;
  readonly #node: string;
  readonly #onSeen: OnSeen;
  readonly #echoMs: number;
  /** True while other nodes may take this node for gone. */
  #isLost = false;
  #pool: Promise<Pool> | undefined;
  #client: PoolClient | undefined;
  #isOver = false;

  /** `open` gives a pool of one connection. */
  constructor(open: () => Promise<Pool>, node: string, onSeen: OnSeen = () => undefined, echoMs = usualEcho) {
    this.#open = open;
    this.#echoMs = echoMs;
    this.#node = node;
    this.#onSeen = onSeen;
  }

  /** Opens the session. Rejects when the database does not answer; a session that is lost later comes back by itself. */
  async open(): Promise<void> {
    if (this.#client !== undefined) return;
    this.#pool ??= this.#open();
    const client = await (await this.#pool).connect();
    let isEntering = false;
    try {
      // The lock is a random number of 63 bits, so that no two sessions have the same one.
      const lock = String(randomBytes(8).readBigUInt64BE() >> 1n);
      await client.query("SELECT pg_advisory_lock($1::bigint)", [lock]);
      isEntering = true;
      await client.query(enter, [this.#node, lock]);
    } catch (error) {
      client.release(true);
      // The table may name a lock for this node that no session holds.
      if (isEntering) this.#lose();
      throw error;
    }
    if (this.#isOver) return client.release(true);
    this.#client = client;
    const isGone = (): void => {
      if (this.#client === client) void this.#again(client);
    };
    client.once("error", isGone).once("end", isGone);
    if (this.#isLost) this.#onSeen(true);
    this.#isLost = false;
    void this.#echo(client);
  }

  /** Sends test queries, and opens another session when one gets no answer. */
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
    if (!this.#isLost) this.#onSeen(false);
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
