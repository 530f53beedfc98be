import type { Host } from "../process/host.ts";

/** The owner of rows in a store that processes of other organisations and environments share (spec/surfaces 0). */
export const scopeOf = ({ organisation, environment }: Pick<Host, "organisation" | "environment">): string =>
  JSON.stringify([organisation, environment]);

/** The scope of a process without settings. Its schedules have the names that all schedules had before scopes existed. */
const usual = scopeOf({ organisation: "local", environment: "production" });

/** The names of a schedule, unique among all processes that share the store. */
export const scheduleNames = (scope: string, config: string, target: string): readonly string[] =>
  scope === usual ? [config, target] : [scope, config, target];

/** The name of the exclusive right to run a schedule. */
export function leaseName(scope: string, config: string, target: string): string {
  const name = `schedule ${JSON.stringify([config, target])}`;
  return scope === usual ? name : `${scope} ${name}`;
}

/** True when the exclusive right belongs to this scope. */
export const isLeaseOf = (scope: string, name: string): boolean => (name.startsWith("[") ? name.startsWith(`${scope} `) : scope === usual);
