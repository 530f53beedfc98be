import * as features from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { checkReferences, type Language, language, publishedSchema, recordName, recordOf, type Specs } from "../2-check/schema.ts";
import {
  anything,
  type Definitions,
  either,
  fixedInteger,
  fixedText,
  fixedWord,
  list,
  map,
  nameOf,
  record,
  ref,
  statusCode,
} from "../2-check/shapes.ts";

// This file defines the language of files of contract tests, from which their checks, the schema for editors and the reference are made.

/** The triggers of tests, which need no connection. */
export const triggers = ["http", "cli", "schedule", "mqtt", "ws", "mcp"] as const;

/** A map of texts. A text with a marker in it is data here. */
const texts = (description: string): JsonSchema => map(description, { type: ["string", "number", "boolean"] });
const textsOrNull = (description: string): JsonSchema => map(description, { type: ["string", "number", "boolean", "null"] });

const givenRecord = record("Given", "What a run finds: its request, its variables, and stand-ins for other services.", {
  trigger: fixedWord("What begins the run: http where the interface has a route, else cli.", triggers),
  method: fixedText("Method of the request, by default that of the interface."),
  path: fixedText("Path and query of the request, by default the route of the interface filled by `params`."),
  params: map("Parameters: those of the route stand in the path, the others in the query."),
  headers: texts("Headers of the request."),
  body: anything("Body: a text is sent as it is, anything else as JSON."),
  ip: fixedText("Address of the caller, by default 127.0.0.1."),
  env: textsOrNull("Environment variables; those of the machine are not read."),
  var: { ...map("Managed variables, over those of `vars/<environment>.yaml`."), names: "variable" },
  secret: { ...map("Values of secrets, by name: no store is asked."), names: "secret" },
  clock: fixedText("Time at which the clock stands still, in ISO 8601, by default 2026-01-01T00:00:00Z."),
  seed: { type: ["string", "number"], description: "Seed of ids and random bytes: equal seeds give equal ones." },
  state: map("Values of the durable state by KEY or NAMESPACE.KEY, which the run finds."),
  versions: map("Versions of values of `state`: 1 where there is none.", fixedInteger("The version.", 1)),
  seen: map(
    "Identities that `seen` and `only_new` have stored already, by KEY or NAMESPACE.KEY.",
    list("The identities, the oldest first.", { type: ["string", "number"] }),
  ),
  stubs: map("Answers to calls, by method and address: `GET https://stock.test/items/:sku`.", {
    $ref: "#/$defs/Stub",
    description: "The answer, or a list of answers to successive calls.",
  }),
  databases: {
    ...map("What stands in for each database, by its name.", { $ref: "#/$defs/DatabaseStub", description: "What stands in for it." }),
    names: "database",
  },
  files: map("Files of SFTP servers that the run finds, by `HOST:/path`: a text, or `{ base64: … }`.", anything("The content.")),
  commands: map("Outputs of commands, by the command; `*` stands for any text.", {
    $ref: "#/$defs/CommandStub",
    description: "The output.",
  }),
  callbacks: {
    ...map("Callbacks by the name of the action that waits: `wait_for_callback`, or an agent whose calls a person confirms.", {
      $ref: "#/$defs/CallbackStub",
      description: "What comes, or a list for successive waits.",
    }),
    names: "action",
  },
});

const expected = record("Expected", "The expected outcome. Without `status` the status must be below 400.", {
  status: statusCode("Status of the answer."),
  headers: textsOrNull("Headers of the answer; null: it has no such header. Others may be there."),
  body: anything("The whole body: JSON in any order of keys, or a text."),
  includes: anything("Part of the body: members that it has at least; lists are compared whole, element by element."),
  tests: list("Tests, as in `assert`, of the answer {status, headers, body}.", ref("Test", "A test.")),
  actions: { ...map("Outcomes of actions, by name.", fixedWord("Its outcome.", ["succeeded", "failed", "skipped"])), names: "action" },
  effects: list("Everything that the run does to the outside, in order.", ref("AnyEffect", "An effect.")),
});

const definitions: Definitions = {
  Given: givenRecord,
  Expected: expected,
  ContractTest: record(
    "ContractTest",
    "One run of an interface, and its expected outcome.",
    {
      name: fixedText("What the test shows, as a sentence."),
      interface: nameOf("interface", "Name of the interface."),
      skip: fixedText("Why the test is not run for now."),
      given: ref("Given", "What the run finds, over that of the file."),
      expect: ref("Expected", "The expected outcome."),
    },
    ["name", "interface"],
  ),
  Answer: record("Answer", "What a stub answers.", {
    status: { ...statusCode("Status of the answer."), default: 200 },
    headers: texts("Headers of the answer."),
    body: anything("Body: a text is sent as it is, anything else as JSON."),
    delay: { type: ["string", "number"], format: "duration", context: "static", description: "Time until it answers." },
    fails: fixedWord("No answer at all: nobody listens, the connection takes too long, or it breaks.", ["refused", "timeout", "reset"]),
  }),
  Stub: either("The answer to each call, or one answer for each of successive calls.", ref("Answer", "The answer to each call."), {
    ...list("Answers to successive calls.", ref("Answer", "An answer.")),
    minItems: 1,
  }),
  DatabaseStub: either(
    "What stands in for a database.",
    ref("DatabaseSetup", "SQLite in memory, or a real database."),
    list(
      "A script: each query of the run takes the first entry that fits and was not taken.",
      ref("ScriptedQuery", "A query and its rows."),
    ),
    fixedWord("SQLite in memory, empty.", ["memory"]),
  ),
  DatabaseSetup: record("DatabaseSetup", "SQLite in memory with statements that are run first, or a real database.", {
    setup: either("Statements that make the tables.", { type: "string" }, list("Statements.", { type: "string" })),
    url: fixedText("Address of a real database of the same kind, which the test may change."),
  }),
  ScriptedQuery: record(
    "ScriptedQuery",
    "A query of the run, and its result.",
    {
      query: fixedText("The query, blanks aside; `*` stands for any text. For documents: the operation and the collection."),
      params: { type: "array", description: "Values of its params; by default any." },
      rows: anything("Its result: a list of rows."),
      error: fixedText("The error of the database in place of rows."),
    },
    ["query"],
  ),
  CommandStub: either("The output of each run of a command, or a list for successive runs.", ref("Output", "The output."), {
    ...list("Outputs of successive runs.", ref("Output", "The output.")),
    minItems: 1,
  }),
  Output: record("Output", "The output of a command.", {
    stdout: anything("Standard output: a text, or a value that is written as JSON."),
    stderr: fixedText("Standard error."),
    exit: { ...fixedInteger("Exit status.", 0, 255), default: 0 },
  }),
  CallbackStub: either(
    "What comes for each wait of an action, or a list for successive waits.",
    ref("Callback", "What comes for each wait."),
    {
      ...list("What comes for successive waits.", ref("Callback", "What comes.")),
      minItems: 1,
    },
  ),
  Callback: record(
    "Callback",
    "A request to a run that waits. For a call of an agent its body is `{ approved: true }`, or false and a `reason`.",
    {
      body: anything("Body: a text, or any other value, which is sent as JSON. By default what the button of the page sends."),
      headers: texts("Headers: the run is given `content-type`, and those that begin with `x-`."),
      late: { type: "boolean", default: false, context: "static", description: "True: nothing comes in time." },
    },
  ),
  AnyEffect: either(
    "Something that the run does to the outside, such as a call, which may be one text.",
    ref("Effect", "An effect and as many of its members as are to be compared."),
    { type: "string", context: "static" },
  ),
  Effect: record("Effect", "An effect and as many of its members as are to be compared.", {
    call: fixedText("Method and address of a call to another service."),
    query: fixedText("A query, blanks aside; `*` stands for any text."),
    publish: fixedText("A topic or channel that something was published to."),
    mail: { type: ["string", "array"], description: "Receivers of a mail." },
    command: fixedText("A command; `*` stands for any text."),
    sftp: fixedText("An SFTP operation on a file: `put files.example.com:/out/a.csv`."),
    to: fixedText("New path of a file."),
    content: anything("Content that was put: a text, or `{ base64: … }`."),
    state: fixedText("Key of a value of the durable state that was written."),
    headers: map("Headers of a call, as many as are to be compared."),
    body: anything("Body of a call."),
    database: fixedText("Name of the database."),
    params: { type: "array", description: "Values of a query." },
    over: fixedWord("How something was published.", ["mqtt", "ws"]),
    data: anything("What was published."),
    qos: fixedInteger("Quality of service of a message.", 0, 2),
    retain: { type: "boolean", description: "It is kept for later subscribers." },
    values: { type: "array", description: "Values that travel beside a script." },
    from: fixedText("Sender of a mail."),
    cc: { type: "array", description: "Receivers of copies." },
    bcc: { type: "array", description: "Receivers of hidden copies." },
    reply_to: { type: "array", description: "Where answers go." },
    subject: fixedText("Subject of a mail."),
    text: fixedText("Text of a mail."),
    html: fixedText("HTML of a mail."),
    attachments: { type: "array", description: "Names of the files of a mail." },
    value: anything("The value that was set."),
    advance: anything("The value that was advanced to."),
    deleted: { type: "boolean", description: "It was deleted." },
    seen: { type: "array", description: "Ids that were remembered." },
  }),
};

const root = record(
  "TestFile",
  "Contract tests of a configuration.",
  {
    config: fixedText("Path of the configuration, relative to this file; by default NAME.yaml for NAME.test.yaml."),
    given: ref("Given", "What every run of this file finds."),
    tests: list("The tests.", ref("ContractTest", "A test.")),
  },
  ["tests"],
);

/** The language of files of contract tests, with the tests of the language of configurations. */
export function testLanguage(specs: Specs = features): Language {
  const all = { ...language(specs).definitions, ...definitions };
  for (const [name, schema] of Object.entries({ TestFile: root, ...definitions })) checkReferences(name, schema, all);
  return { root, definitions: all };
}

/** The names of the records of this file in the order of the reference. */
export const testRecordNames: readonly string[] = ["TestFile", "ContractTest", "Given", "Expected", ...Object.keys(definitions)].filter(
  (name, i, all) => all.indexOf(name) === i,
);

/** The JSON Schema of files of contract tests, for editors: it is one document without references to others. */
export function testSchema(specs: Specs = features): JsonObject {
  const { root: schema, definitions: all } = testLanguage(specs);
  const names = new Set<string>();
  const visit = (one: JsonSchema): void => {
    if (one.$ref !== undefined && !names.has(recordName(one.$ref))) {
      names.add(recordName(one.$ref));
      visit(recordOf(recordName(one.$ref), all));
    }
    const { anyOf = [], allOf = [], properties = {}, items, additionalProperties, not } = one;
    const inner = [...anyOf, ...allOf, ...Object.values(properties), items, additionalProperties, not];
    for (const each of inner) if (typeof each === "object") visit(each);
  };
  visit(schema);
  return publishedSchema({ root: schema, definitions: Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))) });
}
