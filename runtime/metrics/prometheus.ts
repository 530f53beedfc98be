import client, { type Counter, type Gauge, type Histogram, type Registry } from "prom-client";
import type { BusReport } from "../bus/report.ts";
import type { Host } from "../process/host.ts";
import { countLost } from "./count-lost.ts";
import { CustomMetrics, type MetricOptions, type Recorder } from "./custom.ts";
import type { Measured, Measurement, Meter, WatchedGauge } from "./meter.ts";
import { MetricsServer } from "./server.ts";

/** Upper bounds of durations in milliseconds. */
const buckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

/** Triggers whose runs no request waits for. */
const unasked: ReadonlySet<string> = new Set(["schedule", "ws", "mqtt", "authorizer"]);

interface AgentCounters {
  readonly tokens: Counter;
  readonly cost: Counter;
}

/** Counters that are there once an agent has asked a model. */
function agentCounters(registry: Registry): AgentCounters {
  const registers = [registry];
  const labelNames = ["config", "interface", "action"];
  return {
    tokens: new client.Counter({
      name: "pipewright_agent_tokens_total",
      help: "Tokens that models of agents have read and written.",
      labelNames: [...labelNames, "direction"],
      registers,
    }),
    cost: new client.Counter({
      name: "pipewright_agent_cost_total",
      help: "What these tokens cost, where the agent has a price.",
      labelNames,
      registers,
    }),
  };
}

/** Metrics for Prometheus (spec/surfaces 16). Labels are names of configurations, so there are only so many series. */
class Prometheus implements Meter {
  readonly #registry = new client.Registry();
  readonly #monotonic: () => number;
  readonly #custom: CustomMetrics;
  readonly #server = new MetricsServer((openMetrics) => this.#text(openMetrics));
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #calls: Histogram;
  readonly #pending: Gauge;
  readonly #denied: Counter;
  readonly #skipped: Counter;
  readonly #uncaptured: Counter;
  readonly #schedules: Counter;
  readonly #missed: Counter;
  readonly #sockets: Gauge;
  readonly #dropped: Counter;
  #agents: AgentCounters | undefined;
  #detached = (): number => 0;
  #all: (() => Promise<readonly unknown[]>) | undefined;

  constructor({ monotonic, log }: Host) {
    const registers = [this.#registry];
    const [target, action] = [
      ["config", "interface"],
      ["config", "interface", "action"],
    ];
    const name = (rest: string): string => `pipewright_${rest}`;
    this.#monotonic = monotonic;
    this.#requests = new client.Counter({
      name: name("interface_requests_total"),
      help: "Runs of interfaces, with what was refused before a run.",
      labelNames: [...target, "status_class", "trigger"],
      registers,
    });
    this.#durations = new client.Histogram({
      name: name("interface_duration_ms"),
      help: "Milliseconds from the request to the end of its answer.",
      labelNames: target,
      buckets,
      registers,
    });
    this.#calls = new client.Histogram({
      name: name("http_action_duration_ms"),
      help: "Milliseconds of http actions, one attempt each.",
      labelNames: action,
      buckets,
      registers,
    });
    this.#pending = new client.Gauge({ name: name("http_requests_pending"), help: "Requests that wait for their answer.", registers });
    this.#denied = new client.Counter({
      name: name("network_denied_total"),
      help: "Requests that a network policy has turned away.",
      labelNames: ["rule"],
      registers,
    });
    this.#skipped = new client.Counter({
      name: name("on_error_skipped_total"),
      help: "Failures whose handler was not run, because there were too many in a minute.",
      labelNames: ["config"],
      registers,
    });
    this.#uncaptured = new client.Counter({
      name: name("capture_dropped_total"),
      help: "Runs that should have been captured, and were dropped because the store is too slow.",
      labelNames: ["config"],
      registers,
    });
    this.#schedules = new client.Counter({
      name: name("schedule_runs_total"),
      help: "Runs of schedules, each with all its attempts.",
      labelNames: ["result"],
      registers,
    });
    this.#missed = new client.Counter({
      name: name("schedule_skipped_total"),
      help: "Times of schedules at which no run was begun.",
      labelNames: target,
      registers,
    });
    this.#sockets = new client.Gauge({ name: name("ws_connections"), help: "WebSocket connections that are open.", registers });
    this.#dropped = new client.Counter({
      name: name("ws_dropped_total"),
      help: "Messages that were not sent to a WebSocket, because its client does not read.",
      registers,
    });
    const detached = (): number => this.#detached();
    new client.Gauge({
      name: name("detached_runs"),
      help: "Runs that go on after their early answer.",
      registers,
      collect() {
        this.set(detached());
      },
    });
    client.collectDefaultMetrics({ register: this.#registry });
    const keeper = {
      has: (name: string) => this.#registry.getSingleMetric(name) !== undefined,
      counts: (name: string) => this.#registry.getSingleMetric(name) instanceof client.Counter,
      make: (options: MetricOptions) => recorder({ ...options, registers }),
    };
    this.#custom = new CustomMetrics(keeper, log);
  }

  begins({ config, interface: name, trigger }: Measured & { readonly trigger: string }): (status: number) => void {
    const began = this.#monotonic();
    const waiting = unasked.has(trigger) ? 0 : 1;
    this.#pending.inc(waiting);
    return (status) => {
      this.#pending.dec(waiting);
      this.#requests.inc({ config, interface: name, status_class: `${Math.floor(status / 100)}xx`, trigger });
      this.#durations.observe({ config, interface: name }, this.#monotonic() - began);
    };
  }

  called({ config, interface: name, action }: Measured & { readonly action: string }, ms: number): void {
    this.#calls.observe({ config, interface: name, action }, ms);
  }

  asked(
    { config, interface: name, action }: Measured & { readonly action: string },
    { input, output, cost }: { readonly input: number; readonly output: number; readonly cost?: number },
  ): void {
    const of = { config, interface: name, action };
    this.#agents ??= agentCounters(this.#registry);
    this.#agents.tokens.inc({ ...of, direction: "in" }, input);
    this.#agents.tokens.inc({ ...of, direction: "out" }, output);
    if (cost !== undefined) this.#agents.cost.inc(of, cost);
  }

  denied(rule: string): void {
    this.#denied.inc({ rule });
  }

  skipped(config: string): void {
    this.#skipped.inc({ config });
  }

  uncaptured(config: string): void {
    this.#uncaptured.inc({ config });
  }

  connected(change: 1 | -1): void {
    this.#sockets.inc(change);
  }

  dropped(): void {
    this.#dropped.inc();
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
    if (result === "skipped") this.#missed.inc({ config, interface: name });
    else this.#schedules.inc({ result });
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

  /** The registry keeps the form of plain text: in the other one it would rename its counters, also for readers that come later. */
  async #text(openMetrics: boolean): Promise<{ readonly type: string; readonly text: string }> {
    const registry = this.#all === undefined ? this.#registry : together(await this.#all());
    if (openMetrics)
      return { type: client.Registry.OPENMETRICS_CONTENT_TYPE, text: await openMetricsText(await registry.getMetricsAsJSON()) };
    return { type: client.Registry.PROMETHEUS_CONTENT_TYPE, text: await registry.metrics() };
  }
}

type Values = Awaited<ReturnType<client.Registry["getMetricsAsJSON"]>>[number];

/**
 * Metrics in the OpenMetrics format. There a counter is announced without `_total`, and each of its samples has it: whatever the counter is
 * called, the sample has the name once.
 */
function openMetricsText(metrics: readonly Values[]): Promise<string> {
  const registry = new client.Registry<typeof client.Registry.OPENMETRICS_CONTENT_TYPE>();
  registry.setContentType(client.Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of metrics) {
    const values = metric.type.toString() === "counter" ? announced(metric) : metric;
    // The library writes whatever gives values; a metric of a class of its own it would rename.
    registry.registerMetric({ name: metric.name, get: () => values } as unknown as client.Metric);
  }
  return registry.metrics();
}

/** The counter under the name of its family: the library appends `_total` to each sample, also to the name that a sample brings. */
function announced(metric: Values): Values {
  const { values } = metric as Values & { readonly values: readonly object[] };
  return {
    ...metric,
    name: metric.name.replace(/_total$/, ""),
    values: values.map((each) => ({ ...each, metricName: undefined })),
  } as Values;
}

/** Counts the `values` of several processes together: sums, but averages and extremes of what cannot be added. */
const together = (all: readonly unknown[]): client.Registry => client.AggregatorRegistry.aggregate([...all] as object[]); // plain data of the same library

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

/** The metrics of a process, made when they are first asked for. */
export const prometheus = (host: Host): Meter => host.resource("metrics", () => new Prometheus(host));
