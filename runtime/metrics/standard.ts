import type client from "prom-client";
import type { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The classes of the library, which only one file imports. */
type Library = Pick<typeof client, "Counter" | "Gauge" | "Histogram">;

/** Upper bounds of durations in milliseconds. */
const buckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

/** Metrics that every service has, independent of its configurations (spec/surfaces 16). */
export interface StandardMetrics {
  readonly requests: Counter;
  readonly durations: Histogram;
  readonly calls: Histogram;
  readonly pending: Gauge;
  readonly denied: Counter;
  readonly skipped: Counter;
  readonly uncaptured: Counter;
  readonly schedules: Counter;
  readonly missed: Counter;
  readonly sockets: Gauge;
  readonly dropped: Counter;
}

/** Labels of an interface's metrics, and of an action's metrics. */
const ofInterface = ["config", "interface"];
const ofAction = [...ofInterface, "action"];

/** Registers the standard metrics in the order in which a reader sees them. */
export function standardMetrics(library: Library, registry: Registry): StandardMetrics {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []): Counter =>
    new library.Counter({ name: `pipewright_${name}`, help, labelNames, registers });
  const gauge = (name: string, help: string): Gauge => new library.Gauge({ name: `pipewright_${name}`, help, registers });
  const histogram = (name: string, help: string, labelNames: string[]): Histogram =>
    new library.Histogram({ name: `pipewright_${name}`, help, labelNames, buckets, registers });
  return {
    requests: counter("interface_requests_total", "Runs of interfaces, with what was refused before a run.", [
      ...ofInterface,
      ...["status_class", "trigger"],
    ]),
    durations: histogram("interface_duration_ms", "Milliseconds from the request to the end of its answer.", ofInterface),
    calls: histogram("http_action_duration_ms", "Milliseconds of http actions, one attempt each.", ofAction),
    pending: gauge("http_requests_pending", "Requests that wait for their answer."),
    denied: counter("network_denied_total", "Requests that a network policy has turned away.", ["rule"]),
    skipped: counter("on_error_skipped_total", "Failures whose handler was not run, because there were too many in a minute.", ["config"]),
    uncaptured: counter("capture_dropped_total", "Runs that should have been captured, and were dropped because the store is too slow.", [
      "config",
    ]),
    schedules: counter("schedule_runs_total", "Runs of schedules, each with all its attempts.", ["result"]),
    missed: counter("schedule_skipped_total", "Times of schedules at which no run was begun.", ofInterface),
    sockets: gauge("ws_connections", "WebSocket connections that are open."),
    dropped: counter("ws_dropped_total", "Messages that were not sent to a WebSocket, because its client does not read."),
  };
}

export interface AgentCounters {
  readonly tokens: Counter;
  readonly cost: Counter;
}

/** Counters that exist once an agent has asked a model. */
export function agentCounters(library: Library, registry: Registry): AgentCounters {
  const registers = [registry];
  return {
    tokens: new library.Counter({
      name: "pipewright_agent_tokens_total",
      help: "Tokens that models of agents have read and written.",
      labelNames: [...ofAction, "direction"],
      registers,
    }),
    cost: new library.Counter({
      name: "pipewright_agent_cost_total",
      help: "What these tokens cost, where the agent has a price.",
      labelNames: ofAction,
      registers,
    }),
  };
}
