import type { Client, ClientBase, ClientConfig, PoolConfig } from "pg";
import { longestWait } from "../../../value/duration.ts";
import { postgresOptions } from "./postgres-options.ts";
import type { Settings } from "./settings.ts";

/**
 * Milliseconds that the server may take to connect beyond the time limit of a query. So a query that waits for a connection ends by its own
 * limit, with its own error, and nothing waits forever for a connection that hangs.
 */
const patience = 1000;

const bound = ({ timeout }: Settings): number => Math.min(timeout + patience, longestWait);

/**
 * The class by which a pool connects. Its options are read anew for each connection. A pool also connects where no caller could catch an
 * error of the options, so wrong options fail the connection instead.
 */
export function clientOf(base: typeof Client, settings: Settings): NonNullable<PoolConfig["Client"]> {
  class PostgresClient extends base {
    readonly #refused: Error | undefined;

    constructor() {
      const { options, refused } = tried(settings);
      super({ ...options, keepAlive: true, connectionTimeoutMillis: bound(settings) });
      this.#refused = refused;
    }

    override connect(): Promise<Client>;
    override connect(callback: (err: Error) => void): void;
    override connect(callback?: (err: Error) => void): Promise<Client> | void {
      const refused = this.#refused;
      if (callback === undefined) return refused === undefined ? super.connect() : Promise.reject(refused);
      if (refused === undefined) super.connect(callback);
      else process.nextTick(callback, refused);
    }
  }
  return PostgresClient;
}

function tried(settings: Settings): { readonly options: ClientConfig; readonly refused?: Error } {
  try {
    return { options: postgresOptions(settings) };
  } catch (error) {
    return { options: {}, refused: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Sends the first query of a connection. One that is not answered breaks the connection. */
export async function begin(client: ClientBase, text: string, settings: Settings): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), bound(settings));
  try {
    await client.query(text);
  } finally {
    clearTimeout(late);
  }
}
