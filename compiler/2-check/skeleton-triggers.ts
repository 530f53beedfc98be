import type { JsonSchema, TriggerFeature } from "#runtime/features/feature.ts";
import { titleOf, withReferences } from "./blocks.ts";
import {
  anything,
  type Definitions,
  fixedFlag,
  fixedWord,
  flag,
  integer,
  nameOf,
  number,
  type Properties,
  preset,
  record,
  started,
  startedProperties,
  text,
  word,
} from "./shapes.ts";

/** Triggers of the language, by the keys of an interface. */
export type Triggers = Readonly<Record<string, TriggerFeature>>;

/** The keys of an interface that its triggers bring, and the records that they refer to. */
export function triggerRecords(triggers: Triggers): { readonly keys: Properties; readonly records: Definitions } {
  const ofTriggers: Record<string, JsonSchema> = {};
  const keys = Object.entries(triggers).map(([name, { summary, schema }]) => {
    const title = schema.properties === undefined ? {} : { title: titleOf(name) };
    return [name, withReferences({ ...title, description: summary, ...schema }, ofTriggers)] as const;
  });
  return { keys: Object.fromEntries(keys), records: { ...ofTriggers, ...records } };
}

/** Records of MCP servers, of recording and of logging. */
const records: Definitions = {
  McpServer: record("McpServer", "An MCP server: an identity that offers tools.", {
    title: started(text("Name shown to people.")),
    instructions: started(text("What the server is for.")),
    default: started(flag("Serve it at /mcp, too.")),
  }),

  StreamOut: record(
    "StreamOut",
    "Forwards what a streaming action reads to channels, as it arrives.",
    {
      from: nameOf("action", "Action of this interface whose http or agent has stream: true."),
      to: fixedWord("Where it goes.", ["channel"], "channel"),
      channel: {
        ...anything("Channel, a list of channels, or a marker that gives either; a marker with text around it is one level."),
        // The schema refuses null as a missing key. Other values that are no channel are reported when the interface is planned.
        type: ["string", "number", "boolean", "array", "object"],
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
        ...number("Minutes from the first start with this configuration until recording ends."),
        minimum: 0.001,
      },
      for_runs: integer("Runs until recording ends, recorded or not.", 1),
    }),
    ["mode"],
  ),

  InterfaceLogLine: record("InterfaceLogLine", "A line that is logged when the run ends.", {
    msg: text("The line."),
    level: started(logLevel()),
    json: fixedFlag("Write the line as JSON."),
    on: fixedWord("Runs whose line is logged, by their outcome; by default any.", ["error", "success", "any"]),
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
