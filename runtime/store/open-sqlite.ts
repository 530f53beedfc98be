import type { Host } from "../process/host.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { type Use, useStore } from "./stores.ts";

/** The parts of a host that are needed to open a file. */
export type SqliteHost = Pick<Host, "resource" | "now" | "limits">;

/** Uses a file in this process. The file is opened at its first use. Throws the errors of SQLite. */
export const sqliteOf = (host: SqliteHost, file: string): Use<SqliteStore> =>
  useStore(host, `sqlite:${file}`, () => new SqliteStore(file, host.limits.maxStateBytes, host.now));
