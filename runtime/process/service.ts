import { warnOfMemory } from "../state/durability.ts";
import { createHost, type Host, type HostOptions } from "./host.ts";
import type { Settings } from "./settings/options.ts";
import type { Version } from "./version.ts";

// The start of every process that serves configurations, whether its own server or an application brings the requests.

/** The options from which a service makes its host. */
export type ServiceOptions = HostOptions & Partial<Pick<Settings, "tracing" | "admin">>;

/** The host for runs; it traces when a collector is configured. */
export async function hostOf({ tracing, admin, ...options }: ServiceOptions): Promise<Host> {
  // The library is loaded only in a process that traces.
  const tracer = tracing === undefined ? undefined : await (await import("../tracing/otlp.ts")).tracerTo(tracing);
  const host = createHost({ ...options, tracer });
  host.redactor.add("API keys", [...(admin?.keys ?? []), ...(admin?.adminKeys ?? [])]);
  return host;
}

/** Logs warnings about these configurations before the first run, and opens the windows in which runs are recorded. */
export function greet(host: Host, version: Version, { warnings = [], saysUnset = true }: Greeting): void {
  for (const warning of warnings) host.log("warn", warning);
  if (saysUnset) version.sayUnset();
  const stateful = version.configs.filter(({ store }) => store !== undefined);
  warnOfMemory(
    host,
    stateful.map(({ name }) => name),
  );
  version.record();
}

export interface Greeting {
  readonly warnings?: readonly string[] | undefined;
  /** False when another process of the same service logs the unset names. */
  readonly saysUnset?: boolean;
}
