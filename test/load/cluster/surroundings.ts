import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { ClusterOptions } from "./options.ts";
import { OwnNetwork } from "./own-network.ts";
import { OwnPostgres, postgresPrograms } from "./own-postgres.ts";
import { PostgresPair } from "./postgres-pair.ts";
import { type Upstream, upstream, type Version, versions, writeModule } from "./service.ts";

/** The needs of a cluster: a database, the versions of the service, an upstream; for faults a server and a network of its own. */
export interface Surroundings {
  readonly database: string;
  readonly modules: ReadonlyMap<Version, string>;
  readonly upstream: Upstream;
  /** The servers of the database, where one takes over from the other. */
  readonly pair: PostgresPair | undefined;
  /** The server of the database, where it may crash. */
  readonly postgres: OwnPostgres | undefined;
  /** The network of the nodes, where they may be cut off. */
  readonly network: OwnNetwork | undefined;
  readonly close: () => Promise<void>;
}

/** Makes the surroundings. Method `close` removes all that was made. */
export async function surroundingsOf({ faults, server, seed, isAsynchronous }: ClusterOptions): Promise<Surroundings> {
  const network = faults.includes("cut") ? new OwnNetwork() : undefined;
  const pair = faults.includes("failover") ? await PostgresPair.start(ownPrograms(), !isAsynchronous) : undefined;
  const postgres = faults.includes("crash") || network !== undefined ? await ownPostgres(network) : undefined;
  const name = `pipewright_cluster_${process.pid}_${seed}`;
  const address = new URL(pair?.url ?? postgres?.url ?? server);
  await ask(address.href, `CREATE DATABASE ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "pipewright-cluster-"));
  const modules = new Map<Version, string>();
  for (const version of versions) modules.set(version, await writeModule(folder, version));
  const effects = await upstream(network?.host);
  const database = new URL(address);
  database.pathname = `/${name}`;
  const close = async (): Promise<void> => {
    await effects.close();
    rmSync(folder, { recursive: true, force: true });
    // A server of its own takes its databases along.
    if (pair !== undefined) await pair.close();
    else await (postgres === undefined ? ask(address.href, `DROP DATABASE ${name} WITH (FORCE)`) : postgres.close());
    network?.close();
  };
  return { database: database.href, modules, upstream: effects, pair, postgres, network, close };
}

const ownPostgres = (network: OwnNetwork | undefined): Promise<OwnPostgres> => OwnPostgres.start(ownPrograms(), network);

function ownPrograms(): string {
  const programs = postgresPrograms();
  if (programs === undefined)
    throw new Error("the faults 'crash', 'cut' and 'failover' need initdb and postgres: install a PostgreSQL server");
  return programs;
}

async function ask(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
