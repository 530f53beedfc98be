import type { Host } from "../process/host.ts";
import { PostgresStore } from "./postgres-store.ts";
import { type Use, useStore } from "./stores.ts";

/** Uses a database in this process. The connection is made by the first query. */
export const postgresOf = (host: Pick<Host, "resource" | "log">, url: string): Use<PostgresStore> =>
  useStore(host, url, () => new PostgresStore(url, (level, msg, fields) => host.log(level, `store: ${msg}`, fields)));
