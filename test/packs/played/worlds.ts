import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { JsonObject } from "#runtime/value/json.ts";
import { administer } from "../../harness/peers/mysql-server.ts";
import { packTexts } from "../packs.ts";
import type { World } from "./serving.ts";

/** Signs the tokens of tests; it must turn up nowhere else. */
export const jwtSecret = "canary-5d41402abc4b2a76b9719d911017c592";

/** A file of its own, in a folder that goes with it. The README says how a file elsewhere is named: in `conn_string`. */
export async function sqliteWorld(): Promise<World & { readonly file: string }> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-pack-"));
  const file = join(folder, "airpipe.db");
  const using = <T>(readOnly: boolean, work: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(file, { readOnly });
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    file,
    texts: packTexts("sqlite-rest-api-starter").map(({ file: name, text }) => ({
      file: name,
      text: text.replaceAll("sqlite://airpipe.db", `sqlite://${file}`),
    })),
    variables: { JWT_SECRET: jwtSecret },
    // Rows of text and small numbers.
    look: async (query) => using(true, (db) => db.prepare(query).all() as JsonObject[]),
    apply: async (sql) => using(false, (db) => db.exec(sql)),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A database of its own on this server, for a pack; it is dropped even while connections are open. */
export async function postgresWorld(server: string, pack = "rest-api-starter"): Promise<World & { readonly name: string }> {
  const name = `pipewright_pack_${randomBytes(6).toString("hex")}`;
  await command(server, `CREATE DATABASE ${name}`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  return {
    name,
    texts: packTexts(pack),
    variables: { DATABASE_URL: address.href, JWT_SECRET: jwtSecret },
    look: (query) => command(address.href, query),
    apply: async (sql) => void (await command(address.href, sql)),
    close: async () => void (await command(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** A pack that has no database. */
export const noDatabase = (pack: string): World => {
  const none = async (): Promise<never> => {
    throw new Error(`${pack} has no database`);
  };
  return { texts: packTexts(pack), variables: {}, look: none, apply: none, close: async () => undefined };
};

/**
 * A database of its own on this server of MySQL or MariaDB, and a user who may use nothing else, with a password that must turn up nowhere.
 */
export async function mysqlWorld(server: string): Promise<World & { readonly name: string; readonly password: string }> {
  const name = `pipewright_pack_${randomBytes(6).toString("hex")}`;
  const password = `canary-${randomBytes(12).toString("hex")}`;
  await administer(`CREATE DATABASE ${name}; CREATE USER ${name} IDENTIFIED BY '${password}'; GRANT ALL ON ${name}.* TO ${name}`);
  const address = new URL(server);
  Object.assign(address, { pathname: `/${name}`, username: name, password });
  return {
    name,
    password,
    texts: packTexts("mysql-crud"),
    variables: { DATABASE_URL: address.href },
    // Rows of text and small numbers.
    look: async (query) => (await administer(query, name)) as JsonObject[],
    apply: async (sql) => void (await administer(sql, name)),
    close: async () => void (await administer(`DROP DATABASE IF EXISTS ${name}; DROP USER ${name}`)),
  };
}

/** Runs SQL on a connection of its own. */
export async function command(address: string, sql: string): Promise<JsonObject[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}
