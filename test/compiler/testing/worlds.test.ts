import { beforeAll, describe, expect, it } from "vitest";
import { messages, Project, type Reported } from "./project.ts";

// Every part of the outside, with what stands in for it, in one configuration.

const config = `name: world
global:
  databases:
    orders: { driver: sqlite, conn_string: "sqlite:/nowhere/orders.db" }
    big: { driver: postgres, conn_string: "postgres://nobody@203.0.113.9/big" }
    things: { driver: mongodb, conn_string: "mongodb://203.0.113.9/things" }
  secrets:
    token: { kind: vault, http: { url: "https://vault.test/token" }}
interfaces:
  call:
    method: POST
    route: /call/:id
    actions:
      - name: Stock
        http: { url: "https://stock.test/items/a|params::id|" }
        retry: { attempts: 3 }
      - name: Told
        run_when_succeeded: [Stock]
        http: { url: "https://hook.test/told?by=a|body::by|", method: POST, body: { left: a|Stock::body.left| } }
  refused:
    route: /refused
    actions: [{ name: Far, http: { url: "https://far.test/", timeout: 5s } }]
  query:
    route: /query
    actions:
      - { name: Made, database: orders, query: "INSERT INTO orders (name) VALUES (?) RETURNING id", params: [a|params::name|] }
      - { name: All, run_when_succeeded: [Made], database: orders, query: "SELECT * FROM orders ORDER BY id" }
  big:
    route: /big
    actions: [{ name: Rows, database: big, query: "SELECT n FROM t WHERE id = $1", params: [a|params::id|] }]
  documents:
    route: /documents
    actions: [{ name: Found, database: things, document_operation: { collection: things, operation: find, filter: { a: a|params::a| } } }]
  command:
    output: cli
    actions: [{ name: Told, command: { run: "git log -1 --format=%s a|body|" } }]
  commands:
    output: cli
    actions: [{ name: Each, lookup: a|body|, actions: [{ name: Told, command: { run: git log } }] }]
  versions:
    output: cli
    actions:
      - { name: Moved, state: { set: { key: cursor, value: 7, expected_version: 4 } } }
      - { name: New, input: a|body|, only_new: { key: ids, id: . } }
  mail:
    output: cli
    actions:
      - name: Sent
        email: { smtp: { server: smtp.test }, from: shop@shop.test, to: [a|body::to|], subject: Hello, text: Good day }
  files:
    output: cli
    actions:
      - name: New
        sftp: { host: files.test, user: u, password: a|env::P|, accept_any_host_key: true, operation: list, path: /in, glob: "*.csv" }
      - name: First
        sftp: { host: files.test, user: u, password: a|env::P|, accept_any_host_key: true, operation: get, path: "a|New::[0].path|" }
      - name: Copy
        sftp: { host: files.test, user: u, password: a|env::P|, accept_any_host_key: true, operation: put, path: /out/a, content: a|First::content| }
      - name: Done
        run_when_succeeded: [Copy]
        sftp: { host: files.test, user: u, password: a|env::P|, accept_any_host_key: true, operation: rename, path: a|First::path|, to: /in/done/a }
      - name: Lost
        run_when_succeeded: [Done]
        sftp: { host: files.test, user: u, password: a|env::P|, accept_any_host_key: true, operation: get, path: a|First::path| }
  publish:
    output: cli
    actions:
      - { name: Topic, mqtt_publish: { topics: [shop/orders], data: { id: 1 } } }
      - { name: Channel, run_when_succeeded: [Topic], ws_publish: { channels: orders, data: { id: 1 } } }
  agent:
    output: cli
    actions:
      - { name: A, agent: { model: { api: openai, url: "https://models.test/v1", name: m }, prompt: hi, tools: [{ interface: looks }] } }
  looks: { actions: [{ name: L, http: { url: "https://stock.test/level" } }] }
  rest:
    route: /rest/:kind/*path
    actions: [{ name: All, json_output: { kind: a|params::kind|, path: a|params::path| } }]
  state:
    output: cli
    actions:
      - { name: Before, json_output: a|state::cursor| }
      - { name: Set, run_when_succeeded: [Before], state: { set: { key: cursor, value: a|body| } } }
  reads:
    output: cli
    actions: [{ name: All, json_output: { env: a|env::HOME_URL|, var: a|var::size|, secret: a|secret::token|, managed: a|secret::KEY|, id: a|uuid|, at: a|timestamp:ms| } }]
`;

const tests = `given:
  stubs: { "GET https://shared.test/": {} }
tests:
  - name: calls in order, with retries
    interface: call
    given:
      params: { id: a b }
      body: { by: me }
      stubs:
        GET https://stock.test/items/:id: [{ status: 503 }, { body: { left: 3 } }]
        POST https://hook.test/told?by=me: { status: 202 }
    expect:
      effects:
        - GET https://stock.test/items/a%20b
        - GET https://stock.test/items/*
        - { call: "POST https://hook.test/told?by=me", body: { left: 3 }, headers: { content-type: application/json } }
  - name: a call without a stub
    interface: call
    given: { params: { id: 1 } }
    expect: { status: 500 }
  - name: a stub without a call
    interface: refused
    given:
      stubs:
        GET https://far.test/: { status: 200 }
        GET https://near.test/: { status: 200 }
  - name: an answer without a call
    interface: refused
    given: { stubs: { GET https://far.test/: [{}, {}] } }
  - name: nobody listens
    interface: refused
    given: { stubs: { "* https://*": { fails: refused } } }
    expect: { status: 500, actions: { Far: failed } }
  - name: too slow a connection
    interface: refused
    given: { stubs: { "* https://*": { fails: timeout } } }
    expect: { status: 500, actions: { Far: failed } }
  - name: SQLite in memory
    interface: query
    given:
      params: { name: cup }
      databases: { orders: { setup: "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO orders (name) VALUES ('tea')" } }
    expect:
      includes: { data: { All: { data: [{ id: 1, name: tea }, { id: 2, name: cup }] } } }
      effects:
        - { query: INSERT INTO orders (name) VALUES (*) RETURNING id, database: orders, params: [cup] }
        - query: SELECT * FROM orders ORDER BY id
  - name: a setup that is wrong
    interface: query
    given: { params: { name: cup }, databases: { orders: { setup: "CREATE TABEL orders" } } }
    expect: { status: 500 }
  - name: a parameter that is the rest of the path
    interface: rest
    given: { params: { kind: a/b, path: c d/e } }
    expect: { includes: { data: { All: { data: { kind: a/b, path: c d/e } } } } }
  - name: PostgreSQL by SQLite
    interface: big
    given: { params: { id: 7 }, databases: { big: { setup: ["CREATE TABLE t (id INT, n INT)", "INSERT INTO t VALUES (7, 42)"] } } }
    expect: { includes: { data: { Rows: { data: [{ n: 42 }] } } } }
  - name: a script of queries
    interface: big
    given: { params: { id: 7 }, databases: { big: [{ query: SELECT n FROM *, params: ["7"], rows: [{ n: 1 }] }] } }
    expect: { includes: { data: { Rows: { data: [{ n: 1 }] } } } }
  - name: a script that does not fit
    interface: big
    given: { databases: { big: [{ query: SELECT x, rows: [] }] } }
    expect: { status: 500 }
  - name: a database that fails
    interface: big
    given: { databases: { big: [{ query: "*", error: too many connections }] } }
    expect: { status: 500, actions: { Rows: failed } }
  - name: a database of which nothing is said
    interface: big
    expect: { status: 500 }
  - name: a script of documents
    interface: documents
    given: { params: { a: 1 }, databases: { things: [{ query: find things, rows: [{ a: 1 }] }] } }
    expect:
      includes: { data: { Found: { data: [{ a: 1 }] } } }
      effects: [{ query: find things, params: [{ filter: { a: "1" } }] }]
  - name: a command
    interface: command
    given: { body: "; rm -rf", commands: { git log *: { stdout: It works } } }
    expect:
      includes: { data: { Told: { data: It works } } }
      effects: [{ command: git log -1 --format=%s *, values: ["; rm -rf"] }]
  - name: a command without a stub
    interface: command
    given: { body: x }
    expect: { status: 500 }
  - name: outputs in turn
    interface: commands
    given: { body: [1, 2], commands: { git log: [{ stdout: one }, { stdout: two, exit: 1 }] } }
    expect: { status: 500, actions: { Each: failed }, effects: [{ command: git log }, { command: git log }] }
  - name: a command once more than there are outputs
    interface: commands
    given: { body: [1, 2], commands: { git log: [{ stdout: one }] } }
    expect: { status: 500 }
  - name: an output that nobody asks for
    interface: commands
    given: { body: [1], commands: { git log: [{ stdout: one }, { stdout: two }] } }
  - name: a version and identities
    interface: versions
    given: { body: [1, 2, 3], state: { cursor: 6 }, versions: { cursor: 4 }, seen: { ids: [1, "2"] } }
    expect: { includes: { data: { Moved: { data: { version: 5 } }, New: { data: [3] } } } }
  - name: a mail
    interface: mail
    given: { body: { to: ada@example.com } }
    expect: { effects: [{ mail: ada@example.com, from: shop@shop.test, subject: Hello, text: Good day }] }
  - name: files
    interface: files
    given:
      env: { P: p }
      files: { "files.test:/in/b.csv": { base64: YSxi }, "files.test:/in/a.csv": "x,y", "files.test:/in/old/c.csv": "", "other.test:/in/d.csv": "" }
    expect:
      status: 500
      actions: { New: succeeded, Lost: failed }
      includes: { data: { New: { data: [{ name: a.csv, path: /in/a.csv, size: 3, is_dir: false, modified: 1767225600 }, { name: b.csv, path: /in/b.csv, size: 3, is_dir: false, modified: 1767225600 }] } } }
      effects:
        - sftp: list files.test:/in
        - sftp: get files.test:/in/a.csv
        - { sftp: put files.test:/out/a, content: "x,y" }
        - { sftp: rename files.test:/in/a.csv, to: /in/done/a }
        - sftp: get files.test:/in/a.csv
  - name: messages
    interface: publish
    expect: { effects: [{ publish: shop/orders, over: mqtt, data: { id: 1 } }, { publish: orders, over: ws, data: { id: 1 } }] }
  - name: an agent with its tool
    interface: agent
    given:
      stubs:
        POST https://models.test/v1/chat/completions:
          - { body: { choices: [{ message: { content: null, tool_calls: [{ id: c, function: { name: looks, arguments: "{}" } }] } }] } }
          - { body: { choices: [{ message: { content: Seven. } }] } }
        GET https://stock.test/level: { body: 7 }
    expect:
      includes: { data: { A: { data: { text: Seven., turns: 2 } } } }
      effects: ["POST https://models.test/v1/chat/completions", "GET https://stock.test/level", "POST https://models.test/v1/chat/completions"]
  - name: state
    interface: state
    given: { trigger: schedule, body: 7, state: { cursor: 6 } }
    expect: { includes: { data: { Before: { data: 6 } } }, effects: [{ state: cursor, value: 7 }] }
  - name: variables, secrets, clock and seed
    interface: reads
    given: { env: { HOME_URL: x }, var: { size: 3 }, secret: { token: t0k, KEY: k3y }, clock: 2030-01-01T00:00:00Z, seed: s }
    expect:
      includes: { data: { All: { data: { env: x, var: 3, secret: t0k, managed: k3y, at: 1893456000000 } } } }
      tests: [{ value: body.data.All.data.id, is_uuid: true }]
`;

describe("a test gives a run its world", () => {
  let found: ReadonlyMap<string, Reported>;

  beforeAll(async () => {
    using project = new Project({ "world.yaml": config, "world.test.yaml": tests });
    found = await project.tests();
  });

  it.each([
    ...["calls in order, with retries", "nobody listens", "too slow a connection", "SQLite in memory", "PostgreSQL by SQLite"],
    ...[
      "a script of queries",
      "a parameter that is the rest of the path",
      "a database that fails",
      "a script of documents",
      "a command",
      "outputs in turn",
      "a version and identities",
      "a mail",
      "files",
      "messages",
      "state",
      "an agent with its tool",
    ],
    "variables, secrets, clock and seed",
  ])("%s", (name) => {
    expect(messages(found.get(name))).toEqual([]);
    expect(found.get(name)?.outcome).toBe("passed");
  });

  it.each([
    ["a call without a stub", ["the run calls GET https://stock.test/items/1, and no stub answers it"]],
    ["a stub without a call", ["the run never calls GET https://near.test/"]],
    ["a setup that is wrong", ['the setup of orders has failed: near "TABEL": syntax error']],
    ["an answer without a call", ["the run calls GET https://far.test/ once only"]],
    [
      "a script that does not fit",
      [
        "the run asks the database big, and no query of its script is left for: SELECT n FROM t WHERE id = $1",
        "the run never asks the database big this",
      ],
    ],
    ["a database of which nothing is said", ["the run queries the database big, of which the test says nothing"]],
    ["a command once more than there are outputs", ["the run starts a command once more than its stub has outputs (1): git log"]],
    ["an output that nobody asks for", ["the run starts the command git log once only"]],
    ["a command without a stub", [`the run starts a command that no stub answers: git log -1 --format=%s "\${pipewright_1}"`]],
  ])("%s fails", (name, wanted) => {
    expect(messages(found.get(name))).toEqual(wanted);
  });
});
