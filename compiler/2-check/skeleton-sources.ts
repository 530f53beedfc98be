import type { JsonSchema } from "#runtime/feature.ts";
import {
  anything,
  type Definitions,
  duration,
  fixedWord,
  flag,
  integer,
  list,
  map,
  number,
  type Properties,
  record,
  ref,
  text,
  word,
} from "./shapes.ts";
import { exitStatuses } from "./skeleton-actions.ts";

/** `http` as the feature declares it; as a default, without the address. */
export function httpRecords(feature: JsonSchema | undefined): Definitions {
  const properties = feature?.properties ?? {};
  const { url: _, ...defaults } = properties;
  return {
    Http: record("Http", "Calls an HTTP service.", properties, ["url"]),
    HttpDefaults: record("HttpDefaults", "Defaults of every http action.", defaults),
  };
}

/** Records of sources that are known to the schema and not yet compiled (language.md 5, surfaces.md 15, service.txt). */
export const sourceRecords: Definitions = {
  DocumentOperation: record("DocumentOperation", "An operation on a document database.", {
    database: text("Name of the database on the server."),
    collection: text("Collection."),
    operation: fixedWord("What is done.", documentOperations()),
    filter: anything("Which documents."),
    pipeline: anything("Stages of an aggregation."),
    insert: anything("Document or documents to insert."),
    update: anything("How documents are changed."),
    delete: anything("Which documents are deleted."),
    options: anything("Options of the driver."),
  }),

  Command: record(
    "Command",
    "Runs a command.",
    {
      run: text("Command line; values in it are quoted."),
      name: text("Name for people."),
      shell: text("Shell, /bin/sh -c by default."),
      timeout: duration("Time for one attempt.", "30s"),
      expect_exit: exitStatuses(),
      parse: ref("CommandParse", "How stdout is read."),
      parse_stderr: ref("CommandParse", "How stderr is read."),
    },
    ["run"],
  ),
  CommandParse: record("CommandParse", "How the output of a command is read.", {
    ignore_output: flag("Give null."),
    line_start: integer("First line that is kept, from 0."),
    line_end: integer("First line that is not kept any more."),
    split_start: text("Pattern of the line before the block."),
    split_end: text("Pattern of the line after the block."),
    data_type: word("Format of the output.", ["text", "json", "csv", "xml", "ndjson", "jsonl"]),
    matches: list("Per line, the first that fits gives an object.", ref("CommandMatch", "A form of a line.")),
    keys: list("Names of the columns.", text("A name.")),
    split_whitespace: flag("Columns are separated by white space."),
    split_by: text("Text between columns."),
    delimiter: text("Text between columns."),
    disable_auto_extract: flag("Leave number-like cells as text."),
  }),
  CommandMatch: record("CommandMatch", "A form of a line and the names of its parts.", {
    keys: list("Names of the parts.", text("A name.")),
    regex: text("Pattern with groups."),
    split_by: text("Text between the parts."),
    split_whitespace: flag("The parts are separated by white space."),
  }),

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

function documentOperations(): string[] {
  const one = ["findOne", "findOneAndUpdate", "findOneAndReplace", "findOneAndDelete", "insertOne", "updateOne", "replaceOne", "deleteOne"];
  return ["find", "aggregate", "distinct", ...one, "insertMany", "updateMany", "deleteMany", "countDocuments", "estimatedDocumentCount"];
}
