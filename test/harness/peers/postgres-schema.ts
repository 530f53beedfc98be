import pg from "pg";

/** A schema of a database that one test has for itself. */
export interface OwnSchema {
  /** A connection whose search path is the schema. */
  readonly client: pg.Client;
  readonly name: string;
  /** An address of the database; its connections have the schema first in the search path. */
  readonly address: URL;
  readonly drop: () => Promise<void>;
}

let schemas = 0;

/** Makes an empty schema. Its connections have its name, so that `drop` finds those that a dead node left behind. */
export async function ownSchema(server: string, prefix: string): Promise<OwnSchema> {
  const name = `${prefix}_test_${process.pid}_${++schemas}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE; CREATE SCHEMA ${name}; SET search_path = ${name}`);
  const address = new URL(server);
  address.searchParams.set("options", `-c search_path=${name}`);
  address.searchParams.set("application_name", name);
  return { client, name, address, drop: () => dropSchema(client, name) };
}

/**
 * Drops a schema. Statements of a dead node may still run in the server and hold locks that would block DROP, so that their connections are
 * ended first.
 */
async function dropSchema(client: pg.Client, name: string): Promise<void> {
  await client.query("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = $1", [name]);
  await client.query(`DROP SCHEMA ${name} CASCADE`);
  await client.end();
}
