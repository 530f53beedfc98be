import type { Host } from "../process/host.ts";
import type { BusReport } from "./report.ts";

/** The parts of a configuration that use the bus or report its numbers. */
export interface BusUser {
  readonly channels?: (host: Host) => unknown;
  readonly mqtt?: (host: Host) => unknown;
  readonly metrics?: (host: Host) => { readonly watchBus: (report: () => BusReport) => void };
}

/** The bus of a service, which configurations with channels or MQTT bring along. */
export interface MessageBus {
  /** Gives the users the stored state; or lists the settings that are missing. */
  readonly start: (host: Host, users: readonly BusUser[]) => Promise<readonly string[]>;
  /** Carries the messages of all workers that this process will start; or lists the settings that are missing. */
  readonly ofWorkers: (host: Host) => readonly string[];
  /** The state of the bus of a process that serves. */
  readonly report: (host: Host) => BusReport;
}
