import type { JsonSchema } from "#runtime/feature.ts";
import { anything, type Definitions, duration, fixedWord, integer, map, number, type Properties, record, ref, text } from "./shapes.ts";

/** `http` as the feature declares it; as a default, without the address. */
export function httpRecords(feature: JsonSchema | undefined): Definitions {
  const properties = feature?.properties ?? {};
  const { url: _, ...defaults } = properties;
  return {
    Http: record("Http", "Calls an HTTP service.", properties, ["url"]),
    HttpDefaults: record("HttpDefaults", "Defaults of every http action.", defaults),
  };
}

/** `command` as the feature declares it. */
export const commandRecord = (feature: JsonSchema | undefined): Definitions => ({
  Command: record("Command", "Runs a command.", feature?.properties ?? {}, ["run"]),
});

/** `document_operation` as the feature declares it. */
export function documentRecords(feature: JsonSchema | undefined): Definitions {
  const { properties = {}, required = [] } = feature ?? {};
  return { DocumentOperation: record("DocumentOperation", "An operation on a document database.", properties, required) };
}

/** `email` as the feature declares it. */
export const emailRecord = (feature: JsonSchema | undefined): Definitions => ({
  Email: record("Email", "Sends mail.", feature?.properties ?? {}, ["smtp"]),
});

/** `discover` as the feature declares it. */
export const discoverRecord = (feature: JsonSchema | undefined): Definitions => ({
  Discover: record("Discover", "Finds the live members of a service, by one backend.", feature?.properties ?? {}),
});

/** `mqtt_publish` as the feature declares it. */
export const mqttPublishRecord = (feature: JsonSchema | undefined): Definitions => ({
  MqttPublish: record("MqttPublish", "Publishes to MQTT topics.", feature?.properties ?? {}, ["topics"]),
});

/** `ws_publish` as the feature declares it. */
export const wsPublishRecord = (feature: JsonSchema | undefined): Definitions => ({
  WsPublish: record("WsPublish", "Publishes to realtime channels.", feature?.properties ?? {}, ["channels"]),
});

/** Records of sources that are known to the schema and not yet compiled (language.md 5, surfaces.md 15, service.txt). */
export const sourceRecords: Definitions = {
  State: record("State", "One operation on durable state.", {
    get: ref("StateGet", "Read a value."),
    set: ref("StateSet", "Write a value."),
    advance: ref("StateAdvance", "Raise a value."),
    delete: ref("StateDelete", "Delete a value."),
    seen: ref("StateSeen", "Remember an identity, and say whether it is new."),
  }),
  StateGet: stateOperation("StateGet", "Reads a value.", { default: anything("Value when there is none.") }),
  StateSet: stateOperation("StateSet", "Writes a value.", {
    value: anything("The value."),
    ttl: duration("How long it is kept."),
    expected_version: integer("Version it must have; 0: it must not exist.", 0),
  }),
  StateAdvance: stateOperation("StateAdvance", "Raises a value, never lowers it.", {
    value: anything("The value."),
    ttl: duration("How long it is kept."),
  }),
  StateDelete: stateOperation("StateDelete", "Deletes a value.", {}),
  StateSeen: stateOperation("StateSeen", "Remembers an identity, and says whether it is new.", {
    id: anything("The identity."),
    ttl: duration("How long it is remembered."),
  }),

  EmitMetric: record(
    "EmitMetric",
    "Counts or measures something.",
    {
      name: text("Name of the metric."),
      type: fixedWord("Kind of metric.", ["counter", "gauge", "histogram"], "counter"),
      value: number("The value; a counter counts by 1 without."),
      labels: map("Labels."),
      description: text("What is measured."),
    },
    ["name"],
  ),
};

function stateOperation(title: string, description: string, properties: Properties): JsonSchema {
  const shared = { key: anything("Key of the value."), namespace: text("Namespace, by default the name of the configuration.") };
  return record(title, description, { ...shared, ...properties }, ["key"]);
}
