// Parts of the server that a configuration asks for.
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
  /** Names reasons why the process cannot serve channels. */
  channelNeeds,
} from "../realtime/settings.ts";
export {
  /** Runs interfaces as tools of agents. */
  interface_calls,
} from "../triggers/interface-calls.ts";
export {
  /** Serves interfaces as tools over MCP. */
  mcp_tools,
} from "../triggers/mcp.ts";
export {
  /** The MQTT broker of the process. */
  mqtt_broker,
} from "../triggers/mqtt.ts";
export {
  /** Runs interfaces by their schedules. */
  schedules,
} from "../triggers/schedule.ts";
export {
  /** Serves interfaces over WebSocket. */
  web_sockets,
} from "../triggers/ws.ts";
