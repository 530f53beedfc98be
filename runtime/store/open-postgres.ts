import type { Host } from "../process/host.ts";
import { PostgresStore } from "./postgres-store.ts";
import { type Use, useStore } from "./stores.ts";

/** Uses the database of a process, which is connected to when it is first asked. */
export const postgresOf = (host: Pick<Host, "resource" | "log">, url: string): Use<PostgresStore> =>
  useStore(host, url, () => new PostgresStore(url, (level, msg, fields) => host.log(level, `store: ${msg}`, fields)));
