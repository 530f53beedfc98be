import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createHost, type Host, type HostOptions } from "../../../runtime/process/host.ts";
import { ownSchema } from "../../harness/peers/postgres-schema.ts";
import { server } from "../../harness/peers/postgres-server.ts";

/** A backend of the state as a process is configured for it. */
export interface Backend {
  readonly name: string;
  /** A process of its own; those of a durable backend share what is stored. */
  readonly process: (options?: HostOptions) => Host;
  /** Rows that the tables hold, expired or not; absent where nothing outlives the process. */
  readonly rows?: () => Promise<number>;
  readonly close: () => Promise<void>;
}

const counted = "SELECT (SELECT count(*) FROM pw_state) + (SELECT count(*) FROM pw_seen) AS rows";

/** Every backend that this machine has, each with a place of its own. */
export async function backends(): Promise<readonly Backend[]> {
  return [memory, sqlite(), ...(server === undefined ? [] : [await postgresSchema(server)])];
}

const process =
  (address: string): Backend["process"] =>
  ({ env, ...options } = {}) =>
    createHost({ env: { PIPEWRIGHT_STATE_DATABASE_URL: address, ...env }, ...options });

/** The backend that every machine has. */
export const memory: Backend = { name: "memory", process: process(""), close: async () => undefined };

function sqlite(): Backend {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-state-"));
  const file = join(folder, "state.db");
  return {
    name: "sqlite",
    process: process(`sqlite:${file}`),
    rows: async () => {
      const db = new DatabaseSync(file, { readOnly: true });
      const found = db.prepare(counted).get();
      db.close();
      return Number(found?.rows);
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Tables of a schema of their own, which is dropped afterwards. */
async function postgresSchema(address: string): Promise<Backend> {
  const { client, address: url, drop } = await ownSchema(address, "state");
  return {
    name: "postgres",
    process: process(url.href),
    rows: async () => Number((await client.query<{ rows: string }>(counted)).rows[0]?.rows),
    close: drop,
  };
}
