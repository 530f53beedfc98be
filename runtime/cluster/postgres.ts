import { ownNamespaces } from "../state/own-namespaces.ts";
import type { PostgresStore } from "../store/postgres-store.ts";
import type { JsonObject } from "../value/json.ts";
import { type ClusterState, type ClusterStore, clusterState, mostRows, stateColumn } from "./store.ts";

/** The clock of the database. It stands still during a statement. */
const now = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

/** True for runs of the scope $1, and for runs that were stored before runs had one. */
const isOurs = "scope IN ($1, '')";

const q = {
  /** $1 namespace, $2 node, $3 its facts, $4 milliseconds. */
  announce: `INSERT INTO pw_state AS s (ns, key, value, version, expires_at)
    VALUES ($1, $2, $3::jsonb, 1, clock_timestamp() + $4::float8 * interval '1 millisecond')
    ON CONFLICT (ns, key) DO UPDATE SET value = EXCLUDED.value, expires_at = EXCLUDED.expires_at, version = s.version + 1`,
  forget: "DELETE FROM pw_state WHERE ns = $1 AND expires_at <= clock_timestamp()",
  leave: "DELETE FROM pw_state WHERE ns = $1 AND key = $2",
  now: `SELECT ${now} AS now`,
  nodes: `SELECT key, value::text AS value, (extract(epoch FROM expires_at) * 1000)::bigint AS until FROM pw_state WHERE ns = $1 AND expires_at > clock_timestamp() ORDER BY key LIMIT ${mostRows}`,
  leases: `SELECT name, node, until FROM pw_leases WHERE until > ${now} ORDER BY name LIMIT ${mostRows}`,
  states: `SELECT ${stateColumn(now)} AS state, count(*) AS count, min(due) AS first FROM pw_runs WHERE ended IS NULL AND ${isOurs} GROUP BY 1`,
  held: `SELECT node, count(*) AS count FROM pw_runs WHERE node IS NOT NULL AND due > ${now} AND ${isOurs} GROUP BY node ORDER BY 2 DESC LIMIT ${mostRows}`,
  bundles: `SELECT bundle, count(*) AS count FROM pw_runs WHERE ended IS NULL AND ${isOurs} GROUP BY bundle ORDER BY 2 DESC LIMIT ${mostRows}`,
} as const;

/** Nodes that share a database of PostgreSQL. */
export class PostgresCluster implements ClusterStore {
  readonly kind = "postgres";
  readonly #store: PostgresStore;
  readonly #scope: string;
  readonly #namespace: string;
  readonly release: () => void | Promise<void>;

  constructor(store: PostgresStore, scope: string, release: () => void | Promise<void>) {
    this.#store = store;
    this.#scope = scope;
    this.#namespace = ownNamespaces.nodes(scope);
    this.release = release;
  }

  async announce(node: string, about: JsonObject, ms: number): Promise<void> {
    const insert = { text: q.announce, values: [this.#namespace, node, JSON.stringify(about), ms] };
    await this.#store.alone(insert, { text: q.forget, values: [this.#namespace] });
  }

  async leave(node: string): Promise<void> {
    await this.#store.ask(q.leave, [this.#namespace, node], `node ${node}`);
  }

  async look(): Promise<ClusterState> {
    const counted = [q.states, q.held, q.bundles].map((text) => ({ text, values: [this.#scope] }));
    const [time = [], nodes = [], leases = [], states = [], held = [], bundles = []] = await this.#store.alone(
      { text: q.now, values: [] },
      { text: q.nodes, values: [this.#namespace] },
      { text: q.leases, values: [] },
      ...counted,
    );
    return clusterState(this.#scope, Number(time[0]?.now), { nodes, leases, states, held, bundles });
  }
}
