import pg from "pg";

const address = process.env.PIPEWRIGHT_TEST_POSTGRES ?? "postgres://postgres@127.0.0.1:5432/postgres";

/** The server that tests use, or undefined where there is none; CI must have one. */
export const server: string | undefined = await reachable();

async function reachable(): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 3000 });
  try {
    await client.connect();
    await client.end();
    return address;
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.log(`skipped: no PostgreSQL at ${new URL(address).host}; set PIPEWRIGHT_TEST_POSTGRES`);
    return undefined;
  }
}
