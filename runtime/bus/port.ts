import type { Host } from "../process/host.ts";
import type { BusReport } from "./report.ts";

/** The parts of a configuration that use the bus, or count what it carries. */
export interface BusUser {
  readonly channels?: (host: Host) => unknown;
  readonly mqtt?: (host: Host) => unknown;
  readonly metrics?: (host: Host) => { readonly watchBus: (report: () => BusReport) => void };
}

/** The bus of a service, as configurations with channels or MQTT bring it along. */
export interface MessageBus {
  /** Gives its users the state that there is, or lists what is missing. */
  readonly start: (host: Host, users: readonly BusUser[]) => Promise<readonly string[]>;
  /** Carries the messages of all workers that this process will start, or lists what is missing. */
  readonly ofWorkers: (host: Host) => readonly string[];
  /** How the bus of a process that serves is. */
  readonly report: (host: Host) => BusReport;
}
