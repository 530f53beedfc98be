import type { Host } from "../process/host.ts";
import { workerOf } from "../process/workers/crew.ts";

/** The address of the database with the state of a process, or empty. */
export const stateAddress = (host: Pick<Host, "env">): string =>
  host.env("PIPEWRIGHT_STATE_DATABASE_URL") || host.env("PIPEWRIGHT_DATABASE_URL") || "";

/** True when other processes do the same work, so that the memory of one process cannot hold the state. */
export const isOneOfMany = (host: Host): boolean => host.env("PIPEWRIGHT_CLUSTERED") === "true" || workerOf(host) !== undefined;

/**
 * Warns at the start that `state` and `only_new` of these configs have no database: after a restart the process would do everything again.
 */
export function warnOfMemory(host: Host, configs: readonly string[]): void {
  // One worker logs the warning for all.
  if (configs.length === 0 || stateAddress(host) !== "" || (workerOf(host)?.number ?? 1) !== 1) return;
  const happens = isOneOfMany(host) ? "fail with several processes" : "are kept in memory, and forgotten when the process ends";
  const remedy = "set PIPEWRIGHT_DATABASE_URL to sqlite:FILE or postgres://…";
  host.log("warn", `state and only_new have no database: they ${happens}; ${remedy}`, { configs: [...configs] });
}
