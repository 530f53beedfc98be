import { triggers } from "#generated/features.ts";
import type { TriggerFeature } from "#runtime/features/feature.ts";
import { titleOf } from "../../../2-check/blocks.ts";
import { present } from "../../../present.ts";

/** A part of a page: keys of one record of the language, all of them or some. */
export interface Section {
  /** The heading, which also gives the anchor of the section. */
  readonly title: string;
  readonly record: string;
  /** The place of the keys in the YAML; absent if it is the place of the section before. */
  readonly where?: string;
  readonly keys?: readonly string[];
  readonly lead?: string;
}

/** A page of keys. */
export interface KeyPage {
  readonly file: string;
  readonly title: string;
  /** The subject of the page as a sentence for the index. */
  readonly summary: string;
  /** The guide that explains the use of the keys. A guide that is only in the repository is named, but not linked. */
  readonly guide: readonly [title: string, path: string, only?: "in the repository"];
  readonly sections: readonly Section[];
}

/**
 * Records whose keys are on another page. Keys of features are on the pages of the features; `HttpDefaults` has the keys of a feature under
 * another name.
 */
export const keysElsewhere: Readonly<Record<string, string>> = { HttpDefaults: "actions/http.md" };

const fields = (title: string, record: string, where: string, lead?: string): Section => ({
  title,
  record,
  where,
  ...present({ lead }),
});

const some = (title: string, record: string, keys: string, lead?: string): Section => ({
  title,
  record,
  keys: keys.split(" "),
  ...present({ lead }),
});

const anInterface = "`interfaces.NAME`";
const anAction = "an item of `actions`";

const pages: readonly KeyPage[] = [
  {
    file: "configuration.md",
    title: "Configuration",
    summary: "The top level, `global`, databases, secrets and `on_error`.",
    guide: ["Configuration", "docs/configuration.md"],
    sections: [
      fields(
        "Top level",
        "Config",
        "a file",
        "A key that starts with `x-` is a note of its author and has no effect. `a|module::NAME|` in place of a whole value takes it from a file below `modules/`.",
      ),
      fields("Global", "Global", "`global`"),
      fields("Database", "Database", "`global.databases.NAME`"),
      fields("Secret", "Secret", "`global.secrets.NAME`"),
      fields("AWS credential", "AwsCredential", "`global.aws_credentials.NAME`"),
      fields("Google credential", "GoogleCredential", "`global.google_credentials.NAME`"),
      fields("On error", "OnError", "`on_error`"),
    ],
  },
  {
    file: "interface.md",
    title: "Interface",
    summary: "An interface: its triggers, parameters, actions, answer, log and recorded runs.",
    guide: ["Interfaces and triggers", "docs/configuration.md#interfaces-and-triggers"],
    sections: [
      { ...some("For people", "Interface", "summary description notes tags examples"), where: anInterface },
      some(
        "Triggers",
        "Interface",
        "output method route schedule ws mqtt mcp public subscribe_authorizer",
        "An interface runs for every trigger that it has. A page each: [HTTP](triggers/http.md), [schedule](triggers/schedule.md), [WebSocket](triggers/ws.md), [MQTT](triggers/mqtt.md), [MCP](triggers/mcp.md), [command line](triggers/cli.md).",
      ),
      some("Input", "Interface", "params accepts"),
      some("Work", "Interface", "actions assert templates defaults durable network disable_fastpath"),
      some("Answer", "Interface", "response produces respond respond_after silence show_error_detail stream"),
      some("Log and record", "Interface", "log capture"),
      fields("Parameter", "Param", "`params.NAME` of an interface"),
      fields("Contract", "Contract", "`accepts` or `produces` of an interface"),
      fields("Defaults", "ActionDefaults", "`defaults` of an interface"),
      fields("Log line", "InterfaceLogLine", "`log` of an interface"),
      fields("Capture", "CaptureWindow", "`capture` of an interface"),
      fields("Stream", "StreamOut", "`stream` of an interface"),
    ],
  },
  {
    file: "response.md",
    title: "Response",
    summary: "Status, headers and body of an answer, and records of runs.",
    guide: ["The response", "docs/configuration.md#the-response"],
    sections: [
      fields("Response of an interface", "InterfaceResponse", "`response` of an interface"),
      fields("Response of an action", "ActionResponse", "`response_on_success` or `response_on_error` of an action"),
      fields("Record of a run", "InterfaceLog", "an item of `response.logs`"),
    ],
  },
  {
    file: "action.md",
    title: "Action",
    summary: "An action: its data, loops, gates, tests, transforms, retries, logs and part of the answer.",
    guide: ["Actions", "docs/configuration.md#actions"],
    sections: [
      { ...some("Name", "Action", "name description"), where: anAction },
      some("Data", "Action", "input input_fallbacks conditional_input json_output"),
      some("Loop", "Action", "lookup actions lookup_partition lookup_concurrency lookup_inherit lookup_inherit_jq item_timeout"),
      some("Gates", "Action", "run_when_succeeded run_when_failed depends_on run_when_finished run_on_assertion"),
      some("Tests and transforms", "Action", "assert post_transforms"),
      some("Time and retries", "Action", "retry timeout"),
      some("Logs", "Action", "pre_log post_log success_log error_log retry_log"),
      some(
        "In the answer",
        "Action",
        "hide_action hide_data_on_success hide_data_on_error hide_data_on_empty hide_errors hide_metrics response_on_success response_on_error",
      ),
      fields("Conditional input", "ConditionalInput", "an item of `conditional_input`"),
      fields("Gate", "RunCondition", "a gate, such as `run_when_succeeded`"),
      fields("Retry", "Retry", "`retry` of an action"),
      fields("Line of a log", "LogEntry", "an item of `pre_log`, `post_log`, `success_log`, `error_log` or `retry_log`"),
    ],
  },
  {
    file: "test.md",
    title: "Test",
    summary: "`assert`, and the options of a test beside its matchers.",
    guide: ["Tests", "docs/configuration.md#tests"],
    sections: [
      fields("Assert", "Assert", "`assert` of an action or interface, or `run_on_assertion`"),
      {
        ...some("Value", "Test", "value pointer action action_value custom_value jq"),
        where: "an item of `tests`, or `validate` of a parameter",
        lead: "A test looks at the data of its action unless one of these keys names another value; a test has at most one of them.",
      },
      some("Options", "Test", "name description case_insensitive result_key"),
      some("When it fails", "Test", "error_message http_code_on_error http_response hide_errors success_message"),
    ],
  },
  {
    file: "network.md",
    title: "Network policy",
    summary: "Who may reach an interface: addresses, countries, networks and limits.",
    guide: ["Network policy", "docs/network-policy.md", "in the repository"],
    sections: [
      fields("Policy", "NetworkPolicy", "`network` of the configuration or of an interface"),
      fields("Addresses", "IpRule", "`network.ip`"),
      fields("Countries", "GeoRule", "`network.geo`"),
      fields("Networks", "AsnRule", "`network.asn`"),
      fields("Limit", "RateLimitRule", "`network.rate_limit`"),
      fields("Denial", "DenyResponse", "`network.on_deny`"),
    ],
  },
  {
    file: "triggers/http.md",
    title: "HTTP",
    summary: "Requests: method, route, parameters, body and answer.",
    guide: ["Interfaces and triggers", "docs/configuration.md#interfaces-and-triggers"],
    sections: [
      {
        ...some(
          "Keys",
          "Interface",
          "output method route params accepts produces response respond respond_after silence show_error_detail",
        ),
        where: anInterface,
        lead: "An interface answers over HTTP when it has `method` or `route`, or `output: http`.",
      },
    ],
  },
  {
    file: "triggers/schedule.md",
    title: "Schedule",
    summary: "Runs at given times.",
    guide: ["Schedules", "docs/schedules.md", "in the repository"],
    sections: [
      { ...some("Key", "Interface", "schedule"), where: anInterface },
      fields("Schedule", "Schedule", "`schedule` of an interface"),
    ],
  },
  {
    file: "triggers/ws.md",
    title: "WebSocket",
    summary: "Frames of a socket that run an interface, and channels.",
    guide: ["Interfaces and triggers", "docs/configuration.md#interfaces-and-triggers"],
    sections: [{ ...some("Keys", "Interface", "ws public subscribe_authorizer stream"), where: anInterface }],
  },
  {
    file: "triggers/mqtt.md",
    title: "MQTT",
    summary: "Messages that run an interface.",
    guide: ["Interfaces and triggers", "docs/configuration.md#interfaces-and-triggers"],
    sections: [{ ...some("Keys", "Interface", "mqtt public subscribe_authorizer"), where: anInterface }],
  },
  {
    file: "triggers/mcp.md",
    title: "MCP",
    summary: "Interfaces as tools of agents, and the servers that offer them.",
    guide: ["Tools for agents", "docs/mcp.md", "in the repository"],
    sections: [
      { ...some("Keys", "Interface", "mcp accepts produces"), where: anInterface },
      fields("Tool", "McpTool", "`mcp` of an interface"),
      fields("Server", "McpServer", "`mcp_servers.ID` of the configuration"),
    ],
  },
  {
    file: "triggers/cli.md",
    title: "Command line",
    summary: "Interfaces that `pipewright run` runs once.",
    guide: ["The commands", "README.md#the-commands"],
    sections: [
      {
        ...some("Keys", "Interface", "output params accepts response"),
        where: anInterface,
        lead: "`pipewright run NAME PATH` runs any interface once and prints its answer; one that answers over HTTP too needs `--force`.",
      },
    ],
  },
];

/** Each trigger without a page above gets its own page, so that a new trigger needs no entry here. */
const furtherTriggers = Object.entries<TriggerFeature>(triggers)
  .filter(
    ([name]) => !pages.some(({ sections }) => sections.some(({ record, keys = [] }) => record === "Interface" && keys.includes(name))),
  )
  .map(
    ([name, { summary, schema }]): KeyPage => ({
      file: `triggers/${name}.md`,
      title: name,
      summary,
      guide: ["Interfaces and triggers", "docs/configuration.md#interfaces-and-triggers"],
      sections: [
        { ...some("Key", "Interface", name), where: anInterface },
        ...(schema.properties === undefined ? [] : [fields("Settings", titleOf(name), `\`${name}\` of an interface`)]),
      ],
    }),
  );

/** All keys of the language except the keys of features, grouped for the reader. The law `keys` checks that none is missing. */
export const keyPages: readonly KeyPage[] = [...pages, ...furtherTriggers];
