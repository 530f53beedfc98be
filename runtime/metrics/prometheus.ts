import client from "prom-client";
import type { BusReport } from "../bus/report.ts";
import type { Host } from "../process/host.ts";
import { countLost } from "./count-lost.ts";
import { CustomMetrics, type MetricOptions, type Recorder } from "./custom.ts";
import type { Measured, Measurement, Meter, WatchedGauge } from "./meter.ts";
import { MetricsServer } from "./server.ts";
import { type AgentCounters, agentCounters, type StandardMetrics, standardMetrics } from "./standard.ts";

/** Triggers whose runs no HTTP request waits for. */
const unasked: ReadonlySet<string> = new Set(["schedule", "ws", "mqtt", "authorizer"]);

/** Metrics for Prometheus (spec/surfaces 16). Labels are names of configurations, so that the number of series is bounded. */
class Prometheus implements Meter {
  readonly #registry = new client.Registry();
  readonly #monotonic: () => number;
  readonly #custom: CustomMetrics;
  readonly #server = new MetricsServer((openMetrics) => this.#text(openMetrics));
  readonly #standard: StandardMetrics;
  #agents: AgentCounters | undefined;
  #detached = (): number => 0;
  #all: (() => Promise<readonly unknown[]>) | undefined;

  constructor({ monotonic, log }: Host) {
    const registers = [this.#registry];
    this.#monotonic = monotonic;
    this.#standard = standardMetrics(client, this.#registry);
    const detached = (): number => this.#detached();
    new client.Gauge({
      name: "pipewright_detached_runs",
      help: "Runs that go on after their early answer.",
      registers,
      collect() {
        this.set(detached());
      },
    });
    client.collectDefaultMetrics({ register: this.#registry });
    const keeper = {
      // The library's type declarations lack the type that each metric has.
      present: () => this.#registry.getMetricsAsArray() as unknown as readonly { readonly name: string; readonly type: string }[],
      make: (options: MetricOptions) => recorder({ ...options, registers }),
    };
    this.#custom = new CustomMetrics(keeper, log);
  }

  begins({ config, interface: name, trigger }: Measured & { readonly trigger: string }): (status: number) => void {
    const began = this.#monotonic();
    const waiting = unasked.has(trigger) ? 0 : 1;
    this.#standard.pending.inc(waiting);
    return (status) => {
      this.#standard.pending.dec(waiting);
      this.#standard.requests.inc({ config, interface: name, status_class: `${Math.floor(status / 100)}xx`, trigger });
      this.#standard.durations.observe({ config, interface: name }, this.#monotonic() - began);
    };
  }

  called({ config, interface: name, action }: Measured & { readonly action: string }, ms: number): void {
    this.#standard.calls.observe({ config, interface: name, action }, ms);
  }

  asked(
    { config, interface: name, action }: Measured & { readonly action: string },
    { input, output, cost }: { readonly input: number; readonly output: number; readonly cost?: number },
  ): void {
    const of = { config, interface: name, action };
    this.#agents ??= agentCounters(client, this.#registry);
    this.#agents.tokens.inc({ ...of, direction: "in" }, input);
    this.#agents.tokens.inc({ ...of, direction: "out" }, output);
    if (cost !== undefined) this.#agents.cost.inc(of, cost);
  }

  denied(rule: string): void {
    this.#standard.denied.inc({ rule });
  }

  skipped(config: string): void {
    this.#standard.skipped.inc({ config });
  }

  uncaptured(config: string): void {
    this.#standard.uncaptured.inc({ config });
  }

  connected(change: 1 | -1): void {
    this.#standard.sockets.inc(change);
  }

  dropped(): void {
    this.#standard.dropped.inc();
  }

  watchBus(report: () => BusReport): void {
    const help = "1 while messages of channels and MQTT reach the other nodes, else 0.";
    this.gauge({ name: "pipewright_bus_connected", help, value: () => (report().connected ? 1 : 0), of: "min" });
    countLost(client.Counter, this.#registry, () => report().lost);
  }

  gauge({ name, help, value, of: aggregator = "sum" }: WatchedGauge): void {
    if (this.#registry.getSingleMetric(name) !== undefined) return;
    new client.Gauge({
      name,
      help,
      registers: [this.#registry],
      aggregator,
      async collect() {
        const current = await value();
        if (current !== undefined) this.set(current);
      },
    });
  }

  scheduled({ config, interface: name }: Measured, result: "succeeded" | "failed" | "skipped"): void {
    if (result === "skipped") this.#standard.missed.inc({ config, interface: name });
    else this.#standard.schedules.inc({ result });
  }

  watch(detached: () => number): void {
    this.#detached = detached;
  }

  record(of: Measured & { readonly action: string }, measurement: Measurement): void {
    this.#custom.record(of, measurement);
  }

  values(): Promise<unknown> {
    return this.#registry.getMetricsAsJSON();
  }

  listen(address: string, port: number, all?: () => Promise<readonly unknown[]>): Promise<string> {
    this.#all = all;
    return this.#server.listen(address, port);
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#registry.clear();
  }

  /**
   * The text of the metrics. The registry stays in the format of plain text, because in the other format it would rename its counters for
   * all later readers.
   */
  async #text(openMetrics: boolean): Promise<{ readonly type: string; readonly text: string }> {
    const registry = this.#all === undefined ? this.#registry : together(await this.#all());
    if (openMetrics)
      return { type: client.Registry.OPENMETRICS_CONTENT_TYPE, text: await openMetricsText(await registry.getMetricsAsJSON()) };
    return { type: client.Registry.PROMETHEUS_CONTENT_TYPE, text: await registry.metrics() };
  }
}

type Values = Awaited<ReturnType<client.Registry["getMetricsAsJSON"]>>[number];

/**
 * Metrics in the OpenMetrics format. There a counter is declared without `_total`, and each of its samples has `_total` once, whatever the
 * name of the counter is.
 */
function openMetricsText(metrics: readonly Values[]): Promise<string> {
  const registry = new client.Registry<typeof client.Registry.OPENMETRICS_CONTENT_TYPE>();
  registry.setContentType(client.Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of metrics) {
    const values = metric.type.toString() === "counter" ? announced(metric) : metric;
    // The library accepts any object that gives values. It would rename a metric of its own classes.
    registry.registerMetric({ name: metric.name, get: () => values } as unknown as client.Metric);
  }
  return registry.metrics();
}

/** The counter under the name of its family. The library appends `_total` to each sample, and to a name that the sample brings. */
function announced(metric: Values): Values {
  const { values } = metric as Values & { readonly values: readonly object[] };
  return {
    ...metric,
    name: metric.name.replace(/_total$/, ""),
    values: values.map((each) => ({ ...each, metricName: undefined })),
  } as Values;
}

/** Combines the `values` of several processes: usually as sums; values that cannot be added as averages, minima or maxima. */
const together = (all: readonly unknown[]): client.Registry => client.AggregatorRegistry.aggregate([...all] as object[]); // plain data that the same library has made

function recorder({ type, ...options }: MetricOptions & { readonly registers: client.Registry[] }): Recorder {
  switch (type) {
    case "counter": {
      const counter = new client.Counter(options);
      return (labels, value) => counter.inc(labels, value);
    }
    case "gauge": {
      const gauge = new client.Gauge(options);
      return (labels, value) => gauge.set(labels, value);
    }
    case "histogram": {
      const histogram = new client.Histogram(options);
      return (labels, value) => histogram.observe(labels, value);
    }
  }
}

/** The metrics of a process, made at their first use. */
export const prometheus = (host: Host): Meter => host.resource("metrics", () => new Prometheus(host));
