// Fields that the environment fills when a process starts.
export {
  /** `capture` with values of the environment. */
  startCapture,
} from "../capture/settings.ts";
export {
  /** `network` with values of the environment. */
  startPolicy,
} from "../network/started.ts";
export {
  /** Refuses a text that is no address range. */
  address_range,
  /** Refuses a text that is no country code. */
  country_code,
  /** Refuses a text that is no line of cron. */
  cron_line,
  /** Refuses a text that no header can hold. */
  header_line,
  /** Refuses a window that a rate limit cannot have. */
  rate_window,
  /** Refuses a condition that `retry` does not know. */
  retry_matcher,
  /** Refuses a text that is no time zone. */
  time_zone,
} from "../start/judges.ts";
export {
  /** The level of a log line with values of the environment. */
  logLevel,
} from "../start/level.ts";
export {
  /** `retry` with values of the environment. */
  retrySettings,
} from "../start/retry.ts";
export {
  /** `schedule` with values of the environment. */
  scheduleSettings,
} from "../start/schedule.ts";
export {
  /** `mcp_servers` with values of the environment. */
  startServers,
} from "../start/servers.ts";
export {
  /** A setting of an action that was read when the process started. */
  setting,
} from "../start/setting.ts";
