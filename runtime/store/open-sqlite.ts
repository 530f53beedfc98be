import type { Host } from "../process/host.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { type Use, useStore } from "./stores.ts";

/** The parts of a host that are needed to open a file. */
export type SqliteHost = Pick<Host, "resource" | "now" | "limits">;

/** Uses the file of a process, which is opened when it is first used. Throws what SQLite says. */
export const sqliteOf = (host: SqliteHost, file: string): Use<SqliteStore> =>
  useStore(host, `sqlite:${file}`, () => new SqliteStore(file, host.limits.maxStateBytes, host.now));
