import { createConnection } from "mysql2/promise";

const address = process.env.PIPEWRIGHT_TEST_MYSQL ?? "mysql://root@127.0.0.1:3306";

/** The server of MySQL or MariaDB that tests use, without a database, or undefined where there is none; CI must have one. */
export const mysqlServer: string | undefined = await reachable();

async function reachable(): Promise<string | undefined> {
  try {
    const client = await createConnection({ uri: address, connectTimeout: 3000 });
    await client.end();
    return address;
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.log(`skipped: no MySQL or MariaDB at ${new URL(address).host}; set PIPEWRIGHT_TEST_MYSQL`);
    return undefined;
  }
}

/** Runs a statement on a connection of its own without a time limit; returns its rows. */
export async function administer(text: string, database?: string): Promise<Record<string, unknown>[]> {
  const client = await createConnection({ uri: address, multipleStatements: true, ...(database === undefined ? {} : { database }) });
  try {
    const [rows] = await client.query(text);
    // A statement without rows gives an object in place of the list.
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } finally {
    await client.end();
  }
}
