import { copied } from "../formats/copied.ts";
import { isLabel, isOurs, namesOf, ownLabels } from "../formats/metric-names.ts";
import type { Log } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import type { JsonObject } from "../value/json.ts";
import { text } from "../value/values.ts";
import type { Measured, Measurement } from "./meter.ts";

/** The most series of one metric; further ones are not recorded, so that data from outside cannot fill the memory. */
const maxSeries = 1_000;

/** The most metrics, and the most series of all of them, because names may be data, too. */
const maxMetrics = 1_000;
const maxAllSeries = 100_000;

/** The most UTF-16 units of a label's value: longer values are cut. */
const maxLabel = 200;

/** The name, the type and the labels of a metric. */
export interface MetricOptions {
  readonly type: Measurement["type"];
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** Adds, sets or observes a value. */
export type Recorder = (labels: Readonly<Record<string, string>>, value: number) => void;

/** The registry that keeps metrics. */
export interface Keeper {
  /** The existing metrics. */
  readonly present: () => readonly { readonly name: string; readonly type: string }[];
  readonly make: (options: MetricOptions) => Recorder;
}

/** A metric of a configuration, as its first measurement has defined it. */
interface KnownMetric {
  readonly type: Measurement["type"];
  readonly labels: ReadonlySet<string>;
  readonly series: Set<string>;
  readonly record: Recorder;
}

/** Metrics that configurations emit (spec/language 5.3, spec/surfaces 16). */
export class CustomMetrics {
  readonly #keeper: Keeper;
  readonly #log: Log;
  readonly #known = new Map<string, KnownMetric>();
  /** The number of series of all metrics. */
  #all = 0;
  /** Bounds that the log has already reported. */
  readonly #told = new Set<string>();

  constructor(keeper: Keeper, log: Log) {
    this.#keeper = keeper;
    this.#log = log;
  }

  /** Records a measurement. The first one of a metric defines its type and labels; a later one that does not fit fails. */
  record(of: Measured & { readonly action: string }, { name, type, value, labels, description }: Measurement): void {
    const texts = labelsOf(labels);
    const metric = this.#known.get(name) ?? this.#make(name, type, Object.keys(labels), description);
    if (metric === undefined) {
      this.#tell(`there are ${maxMetrics} metrics`);
      return;
    }
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
    const isFull = metric.series.size >= maxSeries;
    if (isFull || this.#all >= maxAllSeries) {
      this.#tell(isFull ? `metric '${name}' has ${maxSeries} series` : `metrics have ${maxAllSeries} series`);
      return false;
    }
    metric.series.add(series);
    this.#all += 1;
    return true;
  }

  /** Logs that a bound is reached, once for each bound. */
  #tell(bound: string): void {
    if (!this.#told.has(bound)) this.#log("warn", `${bound}: further ones are not recorded`);
    this.#told.add(bound);
  }

  /** Makes a metric; undefined when there are already as many as possible. */
  #make(name: string, type: Measurement["type"], labels: readonly string[], description: string | undefined): KnownMetric | undefined {
    const bad = labels.find((label) => !isLabel(label));
    if (bad !== undefined) throw new Failure("evaluation", `bad label name '${bad}'`);
    const taken = this.#taken(name, type);
    if (taken !== undefined) throw new Failure("evaluation", `metric name '${name}' is taken${taken}`);
    if (this.#known.size >= maxMetrics) return undefined;
    const labelNames = [...new Set([...labels, ...ownLabels])];
    const record = this.#keeper.make({ type, name, help: description ?? name, labelNames });
    const metric: KnownMetric = { type, labels: new Set(labels), series: new Set(), record };
    this.#known.set(name, metric);
    return metric;
  }

  /** The reason why a metric cannot have this name: two metrics that write the same name would make the text unreadable. */
  #taken(name: string, type: string): string | undefined {
    if (isOurs(name)) return ": names that begin with pipewright_ are those of the service";
    const names = new Set(namesOf(name, type));
    for (const other of this.#keeper.present()) {
      const shared = namesOf(other.name, other.type).find((each) => names.has(each));
      if (shared !== undefined) return other.name === name ? "" : `: '${shared}' belongs to the ${other.type} '${other.name}'`;
    }
    return undefined;
  }
}

/**
 * The labels of a measurement. An unset label is left out. A cut never splits a character, and texts with the same characters become the
 * same text.
 */
function labelsOf(labels: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) =>
      value === null
        ? []
        : [
            [
              name,
              copied(
                text(value)
                  .slice(0, maxLabel)
                  .replace(/[\ud800-\udbff]$/, "")
                  .toWellFormed(),
              ),
            ],
          ],
    ),
  );
}
