import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { OwnPostgres } from "./own-postgres.ts";

/**
 * A server of PostgreSQL with a standby behind one address, as Patroni or a balancer gives it: the relay leads to whichever of them is the
 * primary.
 */
export class PostgresPair {
  readonly url: string;
  readonly #relay: Server;
  readonly #sockets: Set<Socket>;
  readonly #isSynchronous: boolean;
  #primary: OwnPostgres;
  #standby: OwnPostgres;

  private constructor(relay: Server, primary: OwnPostgres, standby: OwnPostgres, isSynchronous: boolean) {
    const address = relay.address();
    if (address === null || typeof address === "string") throw new Error("the relay has no port");
    this.url = `postgres://postgres@127.0.0.1:${address.port}/postgres`;
    this.#relay = relay;
    this.#sockets = new Set();
    this.#isSynchronous = isSynchronous;
    this.#primary = primary;
    this.#standby = standby;
    relay.on("connection", (near) => this.#lead(near));
  }

  /** `isSynchronous`: the primary confirms what its standby has, too. */
  static async start(programs: string, isSynchronous: boolean): Promise<PostgresPair> {
    const primary = await OwnPostgres.start(programs);
    const standby = await primary.standby();
    const relay = createServer();
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    const pair = new PostgresPair(relay, primary, standby, isSynchronous);
    await pair.#follow();
    return pair;
  }

  /** Ends the primary at once, without a chance to send its last transactions, and promotes the standby. A new standby follows it then. */
  async failover(): Promise<void> {
    const [old, next] = [this.#primary, this.#standby];
    await old.close();
    for (const socket of this.#sockets) socket.destroy();
    await next.ask("SELECT pg_promote(true, 60)");
    this.#primary = next;
  }

  /** Gives the primary a new standby. A second failover must not come before. */
  async repair(): Promise<void> {
    this.#standby = await this.#primary.standby();
    await this.#follow();
  }

  async close(): Promise<void> {
    this.#relay.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#standby.close();
    await this.#primary.close();
  }

  /** Resolves when the standby has all that the primary has confirmed so far, and in a synchronous pair will confirm. */
  async #follow(): Promise<void> {
    if (this.#isSynchronous) {
      await this.#primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await this.#primary.ask("SELECT pg_reload_conf()");
    }
    const state = this.#isSynchronous ? "sync_state = 'sync'" : "state = 'streaming'";
    while ((await this.#primary.ask(`SELECT 1 FROM pg_stat_replication WHERE ${state}`)).length === 0) await sleep(20);
  }

  #lead(near: Socket): void {
    const far = connect(this.#primary.port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
