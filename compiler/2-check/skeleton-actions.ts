import type { AnyAction, JsonSchema } from "#runtime/features/feature.ts";
import { titleOf, withReferences } from "./blocks.ts";
import {
  anything,
  type Definitions,
  defining,
  duration,
  either,
  filter,
  fixedFlag,
  fixedInteger,
  fixedText,
  flag,
  integer,
  list,
  map,
  names,
  type Properties,
  preset,
  record,
  ref,
  started,
  startedProperties,
  statusCode,
  text,
  word,
} from "./shapes.ts";
import { assertion, moduleMarker } from "./skeleton.ts";
import { driverWord, type Stores } from "./skeleton-stores.ts";

const gate = (description: string): JsonSchema =>
  either(description, names("Names of actions."), ref("RunCondition", "Names of actions, with options."));

const logLines = (description: string): JsonSchema => list(description, ref("LogEntry", "A line."));

/** The actions of the language, by name. */
export type Actions = Readonly<Record<string, AnyAction>>;

/** Keys that are a source of data; an action has at most one (PW310). */
export const sourceKeys = (actions: Actions): readonly string[] => [
  ...Object.keys(actions).filter((name) => actions[name]?.written !== "part"),
  ...["lookup", "json_output"],
];

/** Keys of `global` for the credentials of clouds, and their records. */
export function credentialRecords(actions: Actions): { readonly keys: Properties; readonly records: Definitions } {
  const records: Record<string, JsonSchema> = {};
  const entries = Object.values(actions).flatMap(({ credentials = {} }) => Object.entries(credentials));
  const keys = entries.map(([cloud, schema]) => [
    `${cloud}_credentials`,
    map(`Credentials of ${cloud} actions.`, withReferences(schema, records)),
  ]);
  return { keys: Object.fromEntries(keys), records };
}

/** The record of an action, those of the features that it may name, and those it is made of (spec/language 3 and 4). */
export function actionRecords(actions: Actions, drivers: Stores["drivers"]): Definitions {
  const { Action: action = {}, ...others } = records;
  const ofFeatures: Record<string, JsonSchema> = {};
  const keys: Record<string, JsonSchema> = {};
  for (const [name, feature] of Object.entries(actions)) Object.assign(keys, keysOf(name, feature, ofFeatures));
  // The description of the action's own key wins over the description of a feature that reads the key.
  const driver = driverWord("Driver of the action's own connection; by default what conn_string says.", drivers);
  const properties = { ...keys, ...(keys.driver === undefined ? {} : { driver }), ...action.properties };
  return { ...others, Action: { ...action, properties }, ...ofFeatures, ...defaultsOf(ofFeatures.Http) };
}

/** The keys of an action that a feature brings: its name, or its fields. Adds the records that they refer to. */
function keysOf(name: string, { summary, schema, written, beside = [] }: Actions[string], records: Record<string, JsonSchema>): Properties {
  const title = titleOf(name);
  const own = withReferences({ ...(schema.properties === undefined ? {} : { title }), description: summary, ...schema }, records);
  if (written === "fields") {
    const { properties = {} } = records[title] ?? {};
    delete records[title];
    return properties;
  }
  return { [name]: own, ...Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([key]) => beside.includes(key))) };
}

/** The fields of an `http` block that `global.http` may set as defaults: all but the address. */
function defaultsOf(http: JsonSchema | undefined): Definitions {
  const { url: _, ...properties } = http?.properties ?? {};
  return { HttpDefaults: record("HttpDefaults", "Defaults of every http action.", properties) };
}

const records: Definitions = {
  Action: record("Action", "One step of an interface: where its data comes from, what is tested, how it is reshaped.", {
    name: defining("action", fixedText("Name in markers, gates and the response.")),
    description: text("What it does, for people."),

    input: { description: "Data of an action without other source: one marker." },
    input_fallbacks: list("Markers that are tried in order when `input` is unset.", anything("A marker.")),
    conditional_input: list(
      "Markers: the first that is set, or whose tests pass, is the data.",
      either("A marker, or a marker with tests.", ref("ConditionalInput", "A marker with tests."), text("A marker.")),
    ),
    json_output: anything("Data as it is written, with markers: a structure, or a text that is a JSON template."),

    lookup: text("The list that is looped over: a marker."),
    actions: list("What runs for every item.", either("An action.", ref("Action", "An action."), moduleMarker)),
    lookup_partition: fixedFlag("Give {succeeded: […], failed: […]}, and succeed even when items fail."),
    lookup_concurrency: started(preset(integer("Most items that run at once.", 1, 1000), 10)),
    lookup_inherit: map("Values merged into every item."),
    lookup_inherit_jq: map("jq filters over the data of the actions that have settled, merged into every item.", filter("A jq filter.")),
    item_timeout: duration("Time for one item."),

    run_when_succeeded: gate("Run when these actions have succeeded, else skip."),
    run_when_failed: gate("Run when these actions have failed, else skip."),
    depends_on: gate("Run when these actions have settled, whatever the outcome."),
    run_when_finished: gate("Another name of `depends_on`."),
    run_on_assertion: assertion("Run when these tests pass, else skip."),

    assert: assertion("Tests of the data."),
    post_transforms: list("How the data is reshaped, in order.", ref("Transform", "A transform.")),

    retry: ref("Retry", "Try again after a failure."),
    timeout: duration("Time for the whole action."),
    pre_log: logLines("Logged before the source runs."),
    post_log: logLines("Logged after success."),
    success_log: logLines("Logged after success, before post_log."),
    error_log: logLines("Logged after the final failure."),
    retry_log: logLines("Logged before each wait."),

    hide_action: fixedFlag("Leave the action out of the response."),
    hide_data_on_success: fixedFlag("Leave its data out of the response when it succeeded."),
    hide_data_on_error: fixedFlag("Leave its data out of the response when it failed."),
    hide_data_on_empty: fixedFlag("Leave its data out of the response when it is empty."),
    hide_errors: fixedFlag("Leave its errors out of the response."),
    hide_metrics: fixedFlag("Leave it out of the metrics."),
    response_on_success: ref("ActionResponse", "Answer at once when it succeeded."),
    response_on_error: ref("ActionResponse", "Answer at once when it failed."),
  }),

  RunCondition: {
    ...record(
      "RunCondition",
      "Names of actions, with options.",
      {
        actions: names("Names of actions."),
        at_least: fixedInteger("How many of them are enough; by default all."),
        http_code_on_error: statusCode("Status when the condition fails."),
      },
      ["actions"],
    ),
    whole: true,
  },

  ConditionalInput: record(
    "ConditionalInput",
    "A marker that is the data when its tests pass.",
    {
      input: text("Marker whose value is tested and, when all tests pass, is the data."),
      tests: list("Tests of its value.", ref("Test", "A test.")),
    },
    ["input"],
  ),

  Retry: record(
    "Retry",
    "Tries again after a failure.",
    startedProperties({
      attempts: integer("Tries in all.", 1, 100),
      delay: { ...duration("Wait before the second try.", "1s"), minimum: 0 },
      exponential_backoff: flag("Double the wait each time."),
      max_delay: { ...duration("Longest wait.", "30s"), minimum: 0 },
      jitter: word("Wait a random part of the time (full), or exactly this time (none).", ["full", "none"], "full"),
      on: retryMatchers(
        "Failures that are tried again; by default 408, 429, 500, 502 to 504, timeout and connect. Only any names a connection that is lost after the request was sent.",
      ),
      except: retryMatchers("Failures that are not tried again, though `on` names them."),
      respect_retry_after: flag("Wait as long as Retry-After says, up to max_delay.", true),
    }),
    ["attempts"],
  ),

  RetryMatcher: {
    title: "failure",
    description: "A status, a class such as 5xx, timeout, connect, or any.",
    context: "start",
    judge: "retry_matcher",
    anyOf: [
      { type: "integer", minimum: 100, maximum: 599 },
      { type: "string", pattern: "^(?:[1-5][0-9]{2}|[1-5]xx|any|timeout|connect)$" },
    ],
  },
};

function retryMatchers(description: string): JsonSchema {
  return either(
    description,
    ref("RetryMatcher", "A failure: 429, 5xx, timeout, connect or any."),
    list("Failures.", ref("RetryMatcher", "A failure.")),
  );
}
