import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { mysql } from "#runtime/features/actions/database/mysql.ts";
import { postgres } from "#runtime/features/actions/database/postgres.ts";
import { readSettings } from "#runtime/features/actions/database/settings.ts";
import { sqlite } from "#runtime/features/actions/database/sqlite.ts";
import type { Driver } from "#runtime/features/actions/database.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { administer, mysqlServer } from "../../harness/peers/mysql-server.ts";
import { server } from "../../harness/peers/postgres-server.ts";

/** A database of a test, with tables that a statement has made. */
export interface TestDatabase {
  readonly driver: Driver;
  readonly conn_string: string;
  /** Runs statements beside the product. */
  readonly run: (text: string) => Promise<void>;
  readonly drop: () => Promise<void>;
}

const name = `described_${process.pid}_${Date.now()}`;

async function openSqlite(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-described-"));
  const file = join(folder, "a.db");
  const run = async (text: string): Promise<void> => {
    const db = new DatabaseSync(file);
    db.exec(text);
    db.close();
  };
  return { driver: sqlite, conn_string: `sqlite:${file}`, run, drop: async () => rmSync(folder, { recursive: true }) };
}

async function openPostgres(): Promise<TestDatabase> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE SCHEMA ${name}; SET search_path = ${name}`);
  const url = new URL(server ?? "");
  url.searchParams.set("options", `-c search_path=${name}`);
  return {
    driver: postgres,
    conn_string: url.href,
    run: async (text) => void (await client.query(text)),
    drop: async () => {
      await client.query(`DROP SCHEMA ${name} CASCADE`);
      await client.end();
    },
  };
}

async function openMysql(): Promise<TestDatabase> {
  await administer(`CREATE DATABASE ${name}`);
  return {
    driver: mysql,
    conn_string: `${mysqlServer}/${name}`,
    run: async (text) => void (await administer(text, name)),
    drop: async () => void (await administer(`DROP DATABASE ${name}`)),
  };
}

/** The databases that this machine has. */
export const databases: readonly (readonly ["sqlite" | "postgres" | "mysql", () => Promise<TestDatabase>])[] = [
  ["sqlite", openSqlite],
  ...(server === undefined ? [] : [["postgres", openPostgres] as const]),
  ...(mysqlServer === undefined ? [] : [["mysql", openMysql] as const]),
];

/** Rows of a query by the driver of the product. */
export async function rowsOf({ driver, conn_string }: TestDatabase, text: string, params?: readonly Json[], typed = 0): Promise<Json> {
  const connection = driver.open(readSettings({ conn_string } as JsonObject), () => undefined);
  try {
    return await connection.query(text, params, { typed });
  } finally {
    await connection.close();
  }
}
