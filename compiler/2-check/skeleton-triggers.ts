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
  preset,
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
      enabled: flag("Whether the schedule is on; without `enabled: true` it never runs."),
      timezone: { ...preset(text("IANA time zone."), "UTC"), judge: "time_zone" },
      max_attempts: preset(integer("Attempts of one run.", 1, 100), 1),
      retry_backoff_seconds: preset({ ...number("Seconds before the second attempt."), minimum: 0 }, 60),
      retry_backoff_multiplier: preset({ ...number("Factor by which each wait is longer than the one before it."), minimum: 1 }, 2),
      max_backoff_seconds: preset({ ...number("Longest wait in seconds."), minimum: 0 }, 3600),
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
      flush_ms: preset(integer("Longest wait before a piece is sent, in milliseconds.", 0), 50),
      flush_chars: preset(integer("Characters after which a piece is sent.", 1), 200),
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
    on: fixedWord("Runs whose line is logged, by their outcome.", ["error", "success", "any"]),
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
  return fixedWord("Level of the line.", ["trace", "debug", "info", "warn", "warning", "error", "critical"], "info");
}
