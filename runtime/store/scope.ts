import type { Host } from "../process/host.ts";

/** The owner of what a process keeps in a store that it shares with processes of other organisations and environments (spec/surfaces 0). */
export const scopeOf = ({ organisation, environment }: Pick<Host, "organisation" | "environment">): string =>
  JSON.stringify([organisation, environment]);

/** The scope of a process that is told nothing. Its schedules have the names which all had before they were kept apart. */
const usual = scopeOf({ organisation: "local", environment: "production" });

/** The names of a schedule among those of all that share the store. */
export const scheduleNames = (scope: string, config: string, target: string): readonly string[] =>
  scope === usual ? [config, target] : [scope, config, target];

/** The name of the sole right to run a schedule. */
export function leaseName(scope: string, config: string, target: string): string {
  const name = `schedule ${JSON.stringify([config, target])}`;
  return scope === usual ? name : `${scope} ${name}`;
}

/** True when the sole right is one of this scope. */
export const isLeaseOf = (scope: string, name: string): boolean => (name.startsWith("[") ? name.startsWith(`${scope} `) : scope === usual);
