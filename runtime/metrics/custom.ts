import type { Log } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import type { JsonObject } from "../value/json.ts";
import { text } from "../value/values.ts";
import type { Measured, Measurement } from "./meter.ts";

/** Series of one metric: what comes beyond is not recorded, so that data from outside cannot fill the memory. */
const maxSeries = 1_000;

/** Bytes of the value of a label: longer ones are cut. */
const maxLabel = 200;

/** Labels that every measurement has. */
const own = ["config", "interface", "action"] as const;

/** The name, the type and the labels of a metric. */
export interface MetricOptions {
  readonly type: Measurement["type"];
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** Adds, sets or observes a value. */
export type Recorder = (labels: Readonly<Record<string, string>>, value: number) => void;

/** Where metrics are kept. */
export interface Keeper {
  readonly has: (name: string) => boolean;
  /** Whether a counter has this name. */
  readonly counts: (name: string) => boolean;
  readonly make: (options: MetricOptions) => Recorder;
}

/** A metric of a configuration, as its first measurement has made it. */
interface KnownMetric {
  readonly type: Measurement["type"];
  readonly labels: ReadonlySet<string>;
  readonly series: Set<string>;
  readonly record: Recorder;
  isFull: boolean;
}

/** Metrics that configurations emit (spec/language 5.3, spec/surfaces 16). */
export class CustomMetrics {
  readonly #keeper: Keeper;
  readonly #log: Log;
  readonly #known = new Map<string, KnownMetric>();

  constructor(keeper: Keeper, log: Log) {
    this.#keeper = keeper;
    this.#log = log;
  }

  /** Type and labels of a metric are fixed by its first measurement; one that does not fit fails. */
  record(of: Measured & { readonly action: string }, { name, type, value, labels, description }: Measurement): void {
    const texts = labelsOf(labels);
    const metric = this.#known.get(name) ?? this.#make(name, type, Object.keys(labels), description);
    if (metric.type !== type) throw new Failure("evaluation", `metric '${name}' is a ${metric.type}, not a ${type}`);
    const foreign = Object.keys(texts).find((label) => !metric.labels.has(label));
    if (foreign !== undefined) {
      const names = metric.labels.size === 0 ? "none" : [...metric.labels].join(", ");
      throw new Failure("evaluation", `metric '${name}' has no label '${foreign}': its labels are ${names}`);
    }
    const all = { ...texts, config: of.config, interface: of.interface, action: of.action };
    if (this.#hasRoom(name, metric, JSON.stringify(Object.entries(all).sort()))) metric.record(all, value);
  }

  #hasRoom(name: string, metric: KnownMetric, series: string): boolean {
    if (metric.series.has(series)) return true;
    if (metric.series.size < maxSeries) {
      metric.series.add(series);
      return true;
    }
    if (!metric.isFull) this.#log("warn", `metric '${name}' has ${maxSeries} series: further ones are not recorded`);
    metric.isFull = true;
    return false;
  }

  #make(name: string, type: Measurement["type"], labels: readonly string[], description: string | undefined): KnownMetric {
    for (const label of labels) {
      const isGood = /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) && !label.startsWith("__") && label !== "le";
      if (!isGood) throw new Failure("evaluation", `bad label name '${label}'`);
    }
    if (this.#keeper.has(name)) throw new Failure("evaluation", `metric name '${name}' is taken`);
    const twin = name.endsWith("_total") ? name.slice(0, -"_total".length) : `${name}_total`;
    if (type === "counter" && this.#keeper.counts(twin))
      throw new Failure("evaluation", `metric name '${name}' is taken: in OpenMetrics the counter '${twin}' has the same`);
    const labelNames = [...new Set([...labels, ...own])];
    const record = this.#keeper.make({ type, name, help: description ?? name, labelNames });
    const metric: KnownMetric = { type, labels: new Set(labels), series: new Set(), record, isFull: false };
    this.#known.set(name, metric);
    return metric;
  }
}

/** An unset label is left out. */
function labelsOf(labels: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === null ? [] : [[name, text(value).slice(0, maxLabel)]])),
  );
}
