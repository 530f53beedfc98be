import type { JsonSchema } from "#runtime/features/feature.ts";
import {
  anything,
  type Definitions,
  defining,
  either,
  fixedFlag,
  fixedText,
  fixedWord,
  flag,
  integer,
  list,
  map,
  nameOf,
  names,
  type Properties,
  preset,
  record,
  ref,
  started,
  statusCode,
  text,
  word,
} from "./shapes.ts";

/** The name of a module marker in messages. */
export const moduleTitle = "module marker";

/** A module in place of a whole value (spec/language 1.5). */
export const moduleMarker: JsonSchema = { $ref: "#/$defs/moduleMarker" };

/** The root of a configuration (spec/language 1.2). */
export const root: JsonSchema = record(
  "Config",
  "A configuration: interfaces and what they share.",
  {
    name: fixedText("Name of the configuration, unique among those built together; also the default namespace of its state."),
    version: fixedText("Version of the configuration, for people."),
    description: text("What the configuration is for."),
    docs: started(flag("Include the interfaces in the generated API documentation.")),
    global: ref("Global", "What all interfaces of this configuration share."),
    on_error: ref("OnError", "Interface that is run when a run fails."),
    interfaces: defining("interface", map("Interfaces by name; the name is also the default route.", ref("Interface", "An interface."))),
    network: networkPolicy("Network policy of all interfaces."),
    expose_metrics: started(flag("Serve metrics for Prometheus.")),
    mcp_servers: defining("server", map("MCP servers by id.", ref("McpServer", "An MCP server."))),
  },
  ["name", "interfaces"],
);

/** A policy, or a module that holds one. */
function networkPolicy(description: string): JsonSchema {
  return either(description, ref("NetworkPolicy", description), moduleMarker);
}

const captureMode = word("Which runs are recorded.", ["off", "errors", "all"], "off");

const contract = (description: string): JsonSchema => ref("Contract", description);

/** Records of answers, and of statuses. */
const answerRecords: Definitions = {
  InterfaceResponse: record("InterfaceResponse", "Status, headers and body of the answer.", {
    http_code_on_error: started(statusCode("Status when any action failed.")),
    http_code_inherit_error: names("Actions whose own status is used when they fail."),
    http_code_fallback: started(statusCode("Status of a failed run that has no other; by default 500.")),
    http_code_fallback_strategy: started(
      word("Which actions decide whether the run failed.", ["last_action", "last_action_with_error", "any_action"], "last_action"),
    ),
    headers: map("Headers; a null value leaves its header out, and a list of `set-cookie` is as many headers."),
    custom_body: text("Body in place of the envelope, also of a failed run: a JSON template or text."),
    error_body: text("Body in place of custom_body and the envelope when the run has failed: a JSON template or text."),
    logs: list("Records of runs.", ref("InterfaceLog", "A record.")),
  }),

  InterfaceLog: record(
    "InterfaceLog",
    "Which runs are recorded, and where.",
    {
      on: fixedWord("Runs that are recorded, by their outcome.", ["error", "success", "any"]),
      database: nameOf(
        "database",
        "Entry of global.databases whose table pipewright_log takes the records, made when it is missing; without it the log does.",
      ),
    },
    ["on"],
  ),

  StatusMatcher: {
    title: "status",
    description: "A status, a class such as 2xx, or any.",
    anyOf: [
      { type: "integer", minimum: 100, maximum: 599 },
      { type: "string", pattern: "^(?:[1-5][0-9]{2}|[1-5]xx|any)$" },
    ],
  },

  ActionResponse: record("ActionResponse", "An answer that is sent as soon as the action has ended.", {
    http_code: preset(integer("Status of the answer.", 100, 599), 200),
    headers: map("Headers; a null value leaves its header out, and a list of `set-cookie` is as many headers."),
    body: text("The whole body: a JSON template or text; without it the envelope of what has settled."),
  }),
};

/**
 * Records of the configuration outside actions and tests; `triggers` are the keys of an interface that its triggers bring, `credentials`
 * those of `global` that its actions bring.
 */
export const configRecords = (triggers: Properties, credentials: Properties): Definitions => ({
  moduleMarker: {
    title: moduleTitle,
    description: "A module from the folder modules, in place of a whole value.",
    type: "string",
    pattern: "^\\s*a\\|\\s*module\\s*::",
  },

  Global: record("Global", "What all interfaces of a configuration share.", {
    variables: defining("variable", map("Values for a|var::NAME|, where no managed variable of that name is set.")),
    templates: defining("template", map("Texts for a|template::NAME|.", text("Text, itself with markers."))),
    databases: defining("database", map("Databases by name.", either("A database.", ref("Database", "A database."), moduleMarker))),
    http: ref("HttpDefaults", "Defaults of every http action."),
    secrets: defining("secret", map("Secrets for a|secret::NAME|.", ref("Secret", "A secret."))),
    ...credentials,
  }),

  OnError: record(
    "OnError",
    "Interface that is run when a run fails.",
    {
      interface: nameOf("interface", "Interface that is run."),
      status: list("Statuses that count as failure; by default all but 2xx.", statusCode("A status.")),
      max_per_minute: started(preset(integer("Most runs of it in a minute.", 0), 12)),
    },
    ["interface"],
  ),

  Interface: interfaceRecord(triggers),
  Param: record("Param", "A parameter of the request.", {
    value: text("Marker that gives the value, `a|params::<name>|` by default."),
    default_value: { type: ["string", "number", "boolean"], description: "Value when the parameter is absent." },
    error_message: text("Message when the validation fails."),
    validate: ref("Test", "Test of the value."),
    required: {
      type: "boolean",
      context: "static",
      description:
        "Refuse a request without the parameter. By default true where validate is written without a default_value, else false. Written false, it skips validate when the parameter is absent.",
    },
  }),

  Contract: {
    ...record("Contract", "The shape of what is received or sent.", {
      schema: anything("JSON Schema; derived from tests when absent. Without enforce it describes, and refuses nothing."),
      enforce: fixedFlag(
        "Below accepts: what the trigger delivers must satisfy the schema, else the answer is 422 with every error. Below produces: dev warns of an answer that does not satisfy it.",
      ),
      example: anything("A representative value."),
    }),
    whole: true,
  },

  ActionDefaults: record("ActionDefaults", "Defaults of all actions of an interface.", {
    expect_status: statusMatchers("Statuses of http actions that count as success."),
  }),

  ...answerRecords,
});

const interfaceRecord = (triggers: Properties): JsonSchema =>
  record("Interface", "What a trigger runs: a list of actions, and how their outcome is answered.", {
    summary: text("One line about the interface."),
    description: text("What it does, at length."),
    notes: text("Notes for people."),
    tags: list("Groups in the documentation.", text("A group.")),
    accepts: contract("What the trigger delivers."),
    produces: contract("What the interface answers."),
    examples: anything("Examples for people; they have no effect."),
    output: fixedWord("Where the outcome goes; by default http when there is a method or a route, else none.", ["http", "cli", "none"]),
    method: preset(fixedText("HTTP method, or ANY for all."), "GET"),
    route: fixedText("Path, by default the name of the interface; `:id` and `{id}` are parameters, `*rest` is the rest of the path."),
    params: map("Parameters of the request, validated before any action runs.", ref("Param", "A parameter.")),
    actions: list("Actions, in order.", either("An action.", ref("Action", "An action."), moduleMarker)),
    assert: assertion("Tests on the outcome of the actions."),
    response: ref("InterfaceResponse", "Status, headers and body of the answer."),
    templates: defining("template", map("Texts for a|template::NAME|, before those of global.", text("Text, itself with markers."))),
    defaults: ref("ActionDefaults", "Defaults of all actions."),
    respond: fixedWord("When the answer is sent: after all actions, or at once with status 202.", ["late", "early"], "late"),
    respond_after: names("Actions that respond: early waits for; when one fails, the answer is as with late."),
    durable: fixedFlag("Keep each run in the durable run store, so that another process goes on with it when this one ends."),
    log: either("A line that is logged when the run ends.", ref("InterfaceLogLine", "The line."), text("The line.")),
    silence: fixedFlag("Answer with an empty body."),
    show_error_detail: started(flag("Show internal error texts in the answer.")),
    disable_fastpath: fixedFlag("Interpret the actions instead of compiling them; the outcome is the same."),
    network: networkPolicy("Network policy of this interface."),
    ...triggers,
    public: started(flag("Accept sockets and MQTT clients without credential.")),
    subscribe_authorizer: nameOf("interface", "Interface that decides who may use which channel of sockets, or subscribe to which topic."),
    capture: started(either("Which runs are recorded.", captureMode, ref("CaptureWindow", "For how long."))),
    stream: ref("StreamOut", "Forward what a streaming action reads, as it arrives."),
  });

/** An assert, or a module that holds one. */
export function assertion(description: string): JsonSchema {
  return either(description, ref("Assert", description), moduleMarker);
}

/** A status matcher or a list of them (spec/language 3.6). */
function statusMatchers(description: string): JsonSchema {
  return either(description, ref("StatusMatcher", "A status."), { ...list("Statuses.", ref("StatusMatcher", "A status.")), minItems: 1 });
}
