import type { BusReport } from "../bus/report.ts";
import type { Host, Resource } from "../process/host.ts";
import type { JsonObject } from "../value/json.ts";

/** The subject of a measurement: names of the configuration, so that there are only so many. */
export interface Measured {
  readonly config: string;
  readonly interface: string;
}

/** A value of the process that is asked for whenever somebody reads the metrics. */
export interface WatchedGauge {
  readonly name: string;
  readonly help: string;
  /** Gives undefined where the value is not known: then the last one stays. */
  readonly value: () => number | undefined | Promise<number | undefined>;
  /** How the values of several workers become one; "sum" when absent. */
  readonly of?: "min" | "max" | "sum";
}

/** A measurement that `emit_metric` records. */
export interface Measurement {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly value: number;
  readonly labels: JsonObject;
  readonly description: string | undefined;
}

/** The metrics of a process (spec/surfaces 16). */
export interface Meter extends Resource {
  /** A trigger has begun to run an interface; the result is called with the status in the end. */
  readonly begins: (of: Measured & { readonly trigger: string }) => (status: number) => void;
  /** A call of a service by an action has taken so many milliseconds. */
  readonly called: (of: Measured & { readonly action: string }, ms: number) => void;
  /** A model has read and written so many tokens, at this price. */
  readonly asked: (
    of: Measured & { readonly action: string },
    tokens: { readonly input: number; readonly output: number; readonly cost?: number },
  ) => void;
  /** A network policy has turned a caller away by this rule. */
  readonly denied: (rule: string) => void;
  /** Counts a failure that had no handler, because `on_error` of this configuration was over its budget. */
  readonly skipped: (config: string) => void;
  /** Counts a run of this configuration that was to be recorded, but for which there was no room. */
  readonly uncaptured: (config: string) => void;
  /** Adds a gauge of the process; a second one of its name is not looked at. */
  readonly gauge: (gauge: WatchedGauge) => void;
  /** Sets the function that tells how the bus to other processes is; it is called whenever somebody reads the metrics. */
  readonly watchBus: (report: () => BusReport) => void;
  /** Counts the run of a schedule that has ended, with all its attempts, or a time at which no run was begun. */
  readonly scheduled: (of: Measured, result: "succeeded" | "failed" | "skipped") => void;
  /** A connection to an interface of this configuration has been opened, or has ended. */
  readonly connected: (change: 1 | -1) => void;
  /** A message was not sent to a socket that does not read. */
  readonly dropped: () => void;
  /** Sets the function that counts the runs that go on without a caller; it is called whenever somebody reads the metrics. */
  readonly watch: (detached: () => number) => void;
  /** Throws `Failure` for what cannot be recorded. */
  readonly record: (of: Measured & { readonly action: string }, measurement: Measurement) => void;
  /** Everything that has been counted, as plain data. */
  readonly values: () => Promise<unknown>;
  /**
   * Serves `GET /metrics`; gives the address. Rejects with the error of the socket. With `all`, what several processes have counted is
   * served as one.
   */
  readonly listen: (address: string, port: number, all?: () => Promise<readonly unknown[]>) => Promise<string>;
}

/** The meter of a process, made when it is first asked for. A configuration without metrics has none. */
export type MeterOf = (host: Host) => Meter;
