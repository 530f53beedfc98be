import type { BusReport } from "../bus/report.ts";
import type { Host, Resource } from "../process/host.ts";
import type { JsonObject } from "../value/json.ts";

/** The subject of a measurement. It has names of the configuration, so that the number of series is bounded. */
export interface Measured {
  readonly config: string;
  readonly interface: string;
}

/** A value of the process that is read whenever a client reads the metrics. */
export interface WatchedGauge {
  readonly name: string;
  readonly help: string;
  /** Gives undefined where the value is unknown: then the last value stays. */
  readonly value: () => number | undefined | Promise<number | undefined>;
  /** How the values of several workers are combined; "sum" when absent. */
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
  /** Notes that a trigger has begun to run an interface; the trigger calls the result with the status at the end. */
  readonly begins: (of: Measured & { readonly trigger: string }) => (status: number) => void;
  /** Notes the milliseconds of an action's call of a service. */
  readonly called: (of: Measured & { readonly action: string }, ms: number) => void;
  /** Notes the tokens that a model has read and written, and their price. */
  readonly asked: (
    of: Measured & { readonly action: string },
    tokens: { readonly input: number; readonly output: number; readonly cost?: number },
  ) => void;
  /** Notes the rule by which a network policy has refused a caller. */
  readonly denied: (rule: string) => void;
  /** Counts a failure that had no handler, because `on_error` of this configuration was over its budget. */
  readonly skipped: (config: string) => void;
  /** Counts a run of this configuration that should have been recorded, but had no room. */
  readonly uncaptured: (config: string) => void;
  /** Adds a gauge of the process; a second one with the same name is ignored. */
  readonly gauge: (gauge: WatchedGauge) => void;
  /** Sets the function that reports the state of the bus to other processes; it is called whenever a client reads the metrics. */
  readonly watchBus: (report: () => BusReport) => void;
  /** Counts the result of a scheduled run, after all its attempts, or a due time without a run. */
  readonly scheduled: (of: Measured, result: "succeeded" | "failed" | "skipped") => void;
  /** Notes that a connection to an interface of this configuration has opened or closed. */
  readonly connected: (change: 1 | -1) => void;
  /** Counts a message that was not sent to a socket because the client does not read. */
  readonly dropped: () => void;
  /** Sets the function that counts the runs without a waiting caller; it is called whenever a client reads the metrics. */
  readonly watch: (detached: () => number) => void;
  /** Records a measurement of `emit_metric`. Throws `Failure` when it cannot be recorded. */
  readonly record: (of: Measured & { readonly action: string }, measurement: Measurement) => void;
  /** All values so far, as plain data. */
  readonly values: () => Promise<unknown>;
  /**
   * Serves `GET /metrics`; gives the address. Rejects with the error of the socket. With `all`, the values of several processes are served
   * as one.
   */
  readonly listen: (address: string, port: number, all?: () => Promise<readonly unknown[]>) => Promise<string>;
}

/** The meter of a process, made at its first use. A configuration without metrics has none. */
export type MeterOf = (host: Host) => Meter;
