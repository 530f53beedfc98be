import type { JsonSchema } from "#runtime/features/feature.ts";
import {
  anything,
  type Definitions,
  fixedFlag,
  fixedText,
  fixedWord,
  flag,
  integer,
  number,
  record,
  started,
  startedProperties,
  text,
  word,
} from "./shapes.ts";

/** Records of triggers other than HTTP, of recording and of logging. */
export const triggerRecords: Definitions = {
  Schedule: record(
    "Schedule",
    "Runs the interface at given times.",
    startedProperties({
      cron: { ...text("Five fields: minute, hour, day, month, weekday."), judge: "cron_line" },
      enabled: flag("Whether it runs; not without this."),
      timezone: { ...text("IANA time zone, UTC by default."), judge: "time_zone" },
      max_attempts: integer("Attempts of one run, 1 by default.", 1, 100),
      retry_backoff_seconds: { ...number("Seconds before the second attempt, 60 by default."), minimum: 0 },
      retry_backoff_multiplier: { ...number("Growth of the wait, 2 by default."), minimum: 1 },
      max_backoff_seconds: { ...number("Longest wait in seconds, 3600 by default."), minimum: 0 },
    }),
    ["cron"],
  ),

  McpTool: record("McpTool", "Offers the interface as an MCP tool.", {
    enabled: started(flag("Whether it is offered.")),
    tool_name: fixedText("Name of the tool, by default that of the interface."),
    description: fixedText("Description, by default that of the interface."),
    list_authorizer: fixedText("Interface that decides who sees the tool in the list."),
    server: fixedText("Server that offers it, by default the default one."),
  }),

  McpServer: record("McpServer", "An MCP server: an identity that offers tools.", {
    title: started(text("Name shown to people.")),
    instructions: started(text("What the server is for.")),
    default: started(flag("Serve this identity on the bare route.")),
  }),

  StreamOut: record(
    "StreamOut",
    "Forwards what a streaming action reads to channels, as it arrives.",
    {
      from: fixedText("Action of this interface whose http has stream: true."),
      to: fixedWord("Where it goes.", ["channel"], "channel"),
      channel: {
        ...anything("Channel, a list of channels, or a marker that gives either; a marker with text around it is one level."),
        context: "channel",
        items: { context: "channel" },
      },
      flush_ms: integer("Longest wait before a piece is sent, in milliseconds; 50 by default.", 0),
      flush_chars: integer("Characters after which a piece is sent, 200 by default.", 1),
    },
    ["from", "channel"],
  ),

  CaptureWindow: record(
    "CaptureWindow",
    "Records runs for a while.",
    startedProperties({
      mode: word("Which runs are recorded.", ["off", "errors", "all"]),
      for_minutes: {
        ...number("Ends so many minutes after the service was first started with this configuration; a part of one will do."),
        minimum: 0,
      },
      for_runs: integer("Ends when so many runs have ended, recorded or not.", 1),
    }),
    ["mode"],
  ),

  InterfaceLogLine: record("InterfaceLogLine", "A line that is logged when the run ends.", {
    msg: text("The line."),
    level: started(logLevel()),
    json: fixedFlag("Write the line as JSON."),
    on: fixedWord("Which runs.", ["error", "success", "any"]),
  }),

  LogEntry: record(
    "LogEntry",
    "A line that is logged while the action runs.",
    { msg: text("The line."), level: logLevel(), json: fixedFlag("Write the line as JSON.") },
    ["msg"],
  ),
};

/** Levels of log lines (spec/language 3.8). */
function logLevel(): JsonSchema {
  return fixedWord("Level.", ["trace", "debug", "info", "warn", "warning", "error", "critical"], "info");
}
