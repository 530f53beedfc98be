// Parts of the server that a configuration asks for.

export {
  /** Carries messages of channels and MQTT between the processes of a service. */
  messageBus,
} from "../bus/open.ts";
export {
  /** Counts runs that were answered early, and shares the count with other processes. */
  detachedRuns,
} from "../cluster/detached-runs.ts";
export {
  /** Takes callbacks for runs that wait. */
  callbacks,
} from "../durable/callbacks.ts";
export {
  /** Keeps the runs of an interface in the store while they go on. */
  durable,
} from "../durable/durable.ts";
export {
  /** Claims durable runs, and hands them over when the process ends. */
  durableRuns,
} from "../durable/runs-trigger.ts";
export {
  /** The metrics of the process. */
  prometheus,
} from "../metrics/prometheus.ts";
export {
  /** Counts requests for rate limits. */
  networkCounts,
} from "../network/counts.ts";
export {
  /** Finds countries and networks of addresses. */
  networkPlaces,
} from "../network/places.ts";
export {
  /** The network policy of an interface. */
  networkPolicy,
} from "../network/policy.ts";
export {
  /** The rules of a network policy, made ready once. */
  networkRules,
} from "../network/rules.ts";
export {
  /** The channels of the process. */
  channelsOf,
} from "../realtime/channels.ts";
export {
  /** Runs interfaces as tools of agents. */
  interfaceCalls,
} from "../triggers/interface-calls.ts";
export {
  /** Serves interfaces as tools over MCP. */
  mcpTools,
} from "../triggers/mcp.ts";
export {
  /** The MQTT broker of the process. */
  mqttBroker,
} from "../triggers/mqtt.ts";
export {
  /** Runs interfaces by their schedules. */
  schedules,
} from "../triggers/schedule.ts";
export {
  /** Serves interfaces over WebSocket. */
  webSockets,
} from "../triggers/ws.ts";
