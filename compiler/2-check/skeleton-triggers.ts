import type { JsonSchema } from "#runtime/feature.ts";
import {
  anything,
  type Definitions,
  duration,
  fixedFlag,
  fixedInteger,
  fixedText,
  fixedWord,
  integer,
  list,
  map,
  number,
  record,
  ref,
  text,
} from "./shapes.ts";

/** Records of triggers other than HTTP, of network policy and of recording: known to the schema, not yet compiled. */
export const triggerRecords: Definitions = {
  Schedule: record(
    "Schedule",
    "Runs the interface at given times.",
    {
      cron: fixedText("Five fields: minute, hour, day, month, weekday."),
      enabled: fixedFlag("Whether it runs."),
      timezone: fixedText("IANA time zone, UTC by default."),
      max_attempts: fixedInteger("Attempts of one run.", 1, 100),
      retry_backoff_seconds: { ...number("Wait before the second attempt, 60 by default."), context: "static" },
      retry_backoff_multiplier: { ...number("Growth of the wait, 2 by default."), context: "static" },
      max_backoff_seconds: { ...number("Longest wait, 3600 by default."), context: "static" },
    },
    ["cron"],
  ),

  McpTool: record("McpTool", "Offers the interface as an MCP tool.", {
    enabled: fixedFlag("Whether it is offered."),
    tool_name: fixedText("Name of the tool, by default that of the interface."),
    description: fixedText("Description, by default that of the interface."),
    list_authorizer: fixedText("Interface that decides who sees the tool in the list."),
    server: fixedText("Server that offers it, by default the default one."),
  }),

  McpServer: record("McpServer", "An MCP server: an identity that offers tools.", {
    title: text("Name shown to people."),
    instructions: text("What the server is for."),
    default: fixedFlag("Serve this identity on the bare route."),
  }),

  StreamOut: record(
    "StreamOut",
    "Forwards what a streaming action reads, as it arrives.",
    {
      from: fixedText("Action that reads the stream."),
      to: fixedWord("Where it goes.", ["channel"], "channel"),
      channel: anything("Channel or channels: a text, a list, or a marker."),
      flush_ms: integer("Longest wait before a piece is sent, in milliseconds; 50 by default.", 0),
      flush_chars: integer("Characters after which a piece is sent, 200 by default.", 1),
    },
    ["from", "channel"],
  ),

  CaptureWindow: record(
    "CaptureWindow",
    "Records runs for a while.",
    {
      mode: fixedWord("Which runs are recorded.", ["off", "errors", "all"]),
      for_minutes: fixedInteger("Ends after this many minutes.", 1),
      for_runs: fixedInteger("Ends after this many runs.", 1),
    },
    ["mode"],
  ),

  InterfaceLogLine: record("InterfaceLogLine", "A line that is logged when the run ends.", {
    msg: text("The line."),
    level: logLevel(),
    json: fixedFlag("Write the line as JSON."),
    on: fixedWord("Which runs.", ["error", "success", "any"]),
  }),

  LogEntry: record(
    "LogEntry",
    "A line that is logged while the action runs.",
    { msg: text("The line."), level: logLevel(), json: fixedFlag("Write the line as JSON.") },
    ["msg"],
  ),

  NetworkPolicy: record("NetworkPolicy", "Who may reach an interface.", {
    mode: fixedWord("Block, or only log what would be blocked.", ["enforce", "monitor"], "enforce"),
    inherit: fixedFlag("Whether the policy of the configuration applies, too.", true),
    source: fixedWord("Which address counts.", ["client", "socket", "real_ip"], "client"),
    trusted_proxies: list("Address ranges of proxies whose forwarding headers are believed.", text("An address range.")),
    ip: ref("IpRule", "By address."),
    geo: ref("GeoRule", "By country."),
    asn: ref("AsnRule", "By network."),
    rate_limit: ref("RateLimitRule", "By number of requests."),
    on_deny: ref("DenyResponse", "Answer to who is denied."),
  }),

  IpRule: record("IpRule", "Allows and denies addresses.", {
    allow: list("Only these.", text("An address or a range.")),
    deny: list("Not these.", text("An address or a range.")),
    deny_check: fixedWord("Whether every address of the chain is checked.", ["source", "all"], "source"),
  }),

  GeoRule: record("GeoRule", "Allows and denies countries.", {
    allow: list("Only these.", text("ISO 3166-1 alpha-2.")),
    deny: list("Not these.", text("ISO 3166-1 alpha-2.")),
    require_resolution: fixedFlag("Deny addresses of unknown country."),
  }),

  AsnRule: record("AsnRule", "Allows and denies networks.", {
    allow: list("Only these.", integer("Number of an autonomous system.")),
    deny: list("Not these.", integer("Number of an autonomous system.")),
    require_resolution: fixedFlag("Deny addresses of unknown network."),
  }),

  RateLimitRule: record(
    "RateLimitRule",
    "Limits the number of requests.",
    {
      per: fixedWord("What is counted.", ["ip"], "ip"),
      requests: integer("Most requests in a window.", 1),
      window: duration("Length of the window.", "60s"),
      burst: integer("Reserved.", 0),
      on_deny: ref("DenyResponse", "Answer to who is over the limit."),
    },
    ["requests"],
  ),

  DenyResponse: record("DenyResponse", "Answer to who is denied.", {
    status: integer("Status, 403 by default.", 100, 599),
    body: anything("Body."),
    headers: map("Headers."),
  }),
};

/** Levels of log lines (language.md 3.8). */
function logLevel(): JsonSchema {
  return fixedWord("Level.", ["trace", "debug", "info", "warn", "warning", "error", "critical"], "info");
}
