import type { JsonSchema } from "#runtime/feature.ts";
import {
  anything,
  type Definitions,
  duration,
  either,
  fixedText,
  fixedWord,
  flag,
  integer,
  later,
  list,
  map,
  number,
  type Properties,
  record,
  ref,
  text,
  word,
} from "./shapes.ts";
import { statusMatchers } from "./skeleton.ts";
import { exitStatuses } from "./skeleton-actions.ts";

/** Fields of an http block (language.md 5.1.1); those of the feature itself win. */
const httpFields: Properties = {
  url: { type: "string", context: "url", description: "Address to call; values in it are percent-encoded." },
  method: fixedText("Method, GET by default, POST when there is a body."),
  headers: map("Request headers; a null value leaves its header out."),
  body: { context: "json_text", description: "Request body: a map or list is sent as JSON, text as a JSON template or as it is." },
  expect_status: statusMatchers("Statuses that count as success, by default 2xx and 304."),
  timeout: duration("Time for one attempt.", "30s"),
  connect_timeout: duration("Time to connect.", "10s"),
  data_type: {
    description: "How the response body is decoded, by default by its content type.",
    context: "static",
    anyOf: [
      { type: "string", enum: ["json", "text"] },
      { type: "string", enum: ["csv", "xml", "ndjson", "jsonl"], unsupported: "data_type" },
    ],
  },
  ...later({
    base64_bytes: text("Request body as Base64."),
    multipart: list("Parts of a multipart body.", ref("MultipartPart", "A part.")),
    bearer_auth: text("Bearer token; null leaves the header out."),
    idle_timeout: duration("Longest silence while reading the response."),
    idempotency: ref("Idempotency", "A key that is the same for all attempts."),
    stream: flag("Permit forwarding of the response as it arrives."),
    proxy: text("Proxy to connect through."),
    ca: text("Certificate authority."),
    root_certificates: anything("Certificate authorities."),
    accept_invalid_certs: flag("Accept certificates that cannot be verified."),
    pagination: ref("Pagination", "Follow the pages of a list."),
    proxy_body: flag("Send the body of the incoming request."),
    proxy_method: flag("Use the method of the incoming request."),
    proxy_query: flag("Send the query of the incoming request."),
    proxy_headers: either("Send headers of the incoming request.", flag("All of them."), list("These.", text("A header."))),
  }),
  ...later({ user: text("User of Basic authentication."), pass: text("Password of Basic authentication.") }, "Basic authentication"),
  ...later({ digest_auth_user: text("User."), digest_auth_pass: text("Password.") }, "Digest authentication"),
};

/** `http` as the feature declares it, with the fields it does not know yet. */
export function httpRecords(feature: JsonSchema | undefined): Definitions {
  const properties = { ...httpFields, ...feature?.properties };
  const { url: _, ...defaults } = properties;
  return {
    Http: record("Http", "Calls an HTTP service.", properties, ["url"]),
    HttpDefaults: record("HttpDefaults", "Defaults of every http action.", defaults),
  };
}

/** Records of sources that are known to the schema and not yet compiled (language.md 5, surfaces.md 15, service.txt). */
export const sourceRecords: Definitions = {
  MultipartPart: record(
    "MultipartPart",
    "A part of a multipart body, with one of value, b64 and file_path.",
    {
      name: text("Name of the field."),
      value: anything("Content as text."),
      b64: text("Content as Base64."),
      file_path: text("File that holds the content."),
      filename: text("Name of the file for the receiver."),
      mime: text("Content type, by default by the name of the file."),
    },
    ["name"],
  ),
  Idempotency: record("Idempotency", "A key that is the same for all attempts.", {
    key: text("The key, by default a new UUID."),
    header: text("Header that carries it, Idempotency-Key by default."),
  }),
  Pagination: record("Pagination", "Follows the pages of a list.", {
    next_cursor_key: text("Path of the next cursor in a page."),
    next_link_key: text("Path of the next link in a page."),
    next_link_host: text("Other host that a link may lead to."),
    page_start: integer("First page number, 1 by default."),
    increment: integer("Step of the page number, 1 by default."),
    max_pages: integer("Most pages, 100 by default.", 1),
    max_pages_key: text("Path of the number of pages in a page."),
    payload_key: text("Path of the rows in a page."),
  }),

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
