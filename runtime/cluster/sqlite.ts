import { ownNamespaces } from "../state/own-namespaces.ts";
import type { SqliteStore } from "../store/sqlite-store.ts";
import type { JsonObject } from "../value/json.ts";
import { type ClusterState, type ClusterStore, clusterState, mostRows, stateColumn } from "./store.ts";

const q = {
  announce: `INSERT INTO pw_state (ns, key, value, version, expires_at) VALUES (?, ?, ?, 1, ?)
    ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, version = version + 1`,
  forget: "DELETE FROM pw_state WHERE ns = ? AND expires_at <= ?",
  leave: "DELETE FROM pw_state WHERE ns = ? AND key = ?",
  nodes: `SELECT key, value, expires_at AS until FROM pw_state WHERE ns = ? AND expires_at > ? ORDER BY key LIMIT ${mostRows}`,
  leases: `SELECT name, node, until FROM pw_leases WHERE until > ? ORDER BY name LIMIT ${mostRows}`,
  states: `SELECT ${stateColumn("?1")} AS state, count(*) AS count, min(due) AS first FROM pw_runs WHERE ended IS NULL AND scope IN (?2, '') GROUP BY 1`,
  held: `SELECT node, count(*) AS count FROM pw_runs WHERE node IS NOT NULL AND due > ? AND scope IN (?, '') GROUP BY node ORDER BY 2 DESC LIMIT ${mostRows}`,
  bundles: `SELECT bundle, count(*) AS count FROM pw_runs WHERE ended IS NULL AND scope IN (?, '') GROUP BY bundle ORDER BY 2 DESC LIMIT ${mostRows}`,
} as const;

/** Processes of one machine that share a file of SQLite. */
export class SqliteCluster implements ClusterStore {
  readonly kind = "sqlite";
  readonly #store: SqliteStore;
  readonly #scope: string;
  readonly #namespace: string;
  readonly release: () => void | Promise<void>;

  constructor(store: SqliteStore, scope: string, release: () => void | Promise<void>) {
    this.#store = store;
    this.#scope = scope;
    this.#namespace = ownNamespaces.nodes(scope);
    this.release = release;
  }

  async announce(node: string, about: JsonObject, ms: number): Promise<void> {
    await this.#store.write(() => {
      const now = this.#store.now();
      this.#store.ask(q.announce).run(this.#namespace, node, JSON.stringify(about), now + ms);
      this.#store.ask(q.forget).run(this.#namespace, now);
    });
  }

  async leave(node: string): Promise<void> {
    await this.#store.write(() => this.#store.ask(q.leave).run(this.#namespace, node));
  }

  look(): Promise<ClusterState> {
    return this.#store.read(() => {
      const now = this.#store.now();
      return clusterState(this.#scope, now, {
        nodes: this.#store.ask(q.nodes).all(this.#namespace, now),
        leases: this.#store.ask(q.leases).all(now),
        states: this.#store.ask(q.states).all(now, this.#scope),
        held: this.#store.ask(q.held).all(now, this.#scope),
        bundles: this.#store.ask(q.bundles).all(this.#scope),
      });
    });
  }
}
