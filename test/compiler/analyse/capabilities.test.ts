import { expect, test } from "vitest";
import { capabilitiesOf, touchesOf, touchesOfConfig } from "../../../compiler/5-analyse/capabilities/index.ts";
import { planned } from "../../harness/compile.ts";

// The things outside that an interface may touch, as the manifest of a build lists them.

/** The capabilities of one interface with these actions. */
function reach(actions: string, more = ""): unknown {
  const text = `name: test\n${more}interfaces:\n  a:\n    method: POST\n    actions:\n${actions.replace(/^/gm, "      ")}\n`;
  const [plan] = planned(text).plans;
  const [target] = plan?.interfaces ?? [];
  if (plan === undefined || target === undefined) throw new Error("nothing was planned");
  return capabilitiesOf(touchesOf(target, plan));
}

const http = (fields: string): unknown => reach(`- name: Call\n  http: { ${fields} }`);

test("a host that is written is named, and one of the environment by its marker", () => {
  expect(http('url: "https://api.example.com:8443/orders/a|body::id|"')).toEqual({ hosts: [{ name: "api.example.com:8443" }] });
  expect(http('url: "a|env::STORE|/orders"')).toEqual({ hosts: [{ name: "a|env::STORE|" }] });
  expect(http('url: "https://a|env::REGION|.example.com/"')).toEqual({ hosts: [{ name: "a|env::REGION|.example.com" }] });
});

test("a host that data choose says who chooses, and within what", () => {
  expect(http('url: "a|body::callback|"')).toEqual({ hosts: [{ name: "*", from: "request", within: ["public"] }] });
  expect(http('url: "https://a|body::tenant|.example.com/"')).toEqual({
    hosts: [{ name: "*.example.com", from: "request", within: ["public"] }],
  });
  expect(http('url: "a|body::callback|", allowed_hosts: ["*.example.org", a|env::OWN|]')).toEqual({
    hosts: [{ name: "*", from: "request", within: ["*.example.org", "a|env::OWN|"] }],
  });
});

test("an answer of a service that names the next address is no request", () => {
  const actions = '- name: One\n  http: { url: "https://one.example" }\n- name: Two\n  http: { url: "a|One::body.next|" }';
  expect(reach(actions)).toEqual({ hosts: [{ name: "*", from: "service", within: ["public"] }, { name: "one.example" }] });
});

test("actions of loops, proxies and key sets count", () => {
  const loop =
    '- name: Each\n  lookup: a|body|\n  actions:\n    - name: Inner\n      http: { url: "https://in.example", proxy: "http://proxy:3128" }';
  expect(reach(loop)).toEqual({ hosts: [{ name: "in.example" }, { name: "proxy:3128" }] });
  const keys =
    "- name: Who\n  input: a|headers|\n  assert:\n    tests:\n      - value: authorization\n        is_valid_jwt: { jwks_url: https://issuer.example/keys }";
  expect(reach(keys)).toEqual({ hosts: [{ name: "issuer.example" }] });
});

const database =
  "global:\n  databases:\n    main: { driver: postgres, conn_string: a|secret::DSN| }\n  secrets:\n    DSN: { kind: local, file: dsn.txt }\n";

test("tables come with their verbs, and secrets of the database by name", () => {
  expect(reach("- name: Read\n  database: main\n  query: DELETE FROM posts WHERE id = a|body::id|", database)).toEqual({
    tables: [{ name: "posts", of: "main", verbs: ["delete"] }],
    secrets: [{ name: "DSN" }],
  });
  expect(reach("- name: Read\n  database: main\n  query: SELECT * FROM a|env::TABLE->raw|", database)).toEqual({
    tables: [{ name: "*", of: "main", verbs: ["*", "select"] }],
    secrets: [{ name: "DSN" }],
  });
});

test("commands, channels, topics, mail and state", () => {
  expect(reach("- name: Run\n  command: { run: [convert, a|body::file|, out.png] }")).toEqual({
    commands: [{ name: "convert", of: "program" }],
  });
  expect(reach("- name: Run\n  command: { run: df -h }")).toEqual({ commands: [{ name: "df -h" }] });
  expect(reach("- name: Tell\n  ws_publish: { channels: [news, room/a|body::room|] }")).toEqual({
    channels: [{ name: "news" }, { name: "room/*", from: "request" }],
  });
  expect(reach("- name: Tell\n  mqtt_publish: { topics: out/a|body::id| }")).toEqual({ topics: [{ name: "out/*", from: "request" }] });
  expect(reach("- name: Mail\n  email: { smtp: { server: a|env::SMTP| }, from: us@example.com, to: a|body::to|, text: hi }")).toEqual({
    mail_servers: [{ name: "a|env::SMTP|" }],
    mail_senders: [{ name: "us@example.com" }],
    mail_recipients: [{ name: "*", from: "request" }],
  });
  expect(reach("- name: Keep\n  state: { set: { key: cursor, value: 1 } }")).toEqual({
    state: [{ name: "cursor", of: "test", verbs: ["set"] }],
  });
});

test("the addresses of databases belong to the configuration", () => {
  const [plan] = planned(`name: test\n${database}interfaces:\n  a: { method: GET, actions: [{ name: A, input: a|body| }] }\n`).plans;
  expect(plan && capabilitiesOf(touchesOfConfig(plan))).toEqual({
    hosts: [{ name: "a|secret::DSN|" }],
    secrets: [{ name: "DSN" }],
    files: [{ name: "dsn.txt" }],
  });
});

test("a variable of the configuration is listed by its value, beside the managed one that may take its place", () => {
  const global = 'global: { variables: { API: "https://a|env::REGION|.example.com" } }\n';
  expect(reach('- name: Call\n  http: { url: "a|var::API|/orders" }', global)).toEqual({
    hosts: [{ name: "a|env::REGION|.example.com" }, { name: "a|var::API|" }],
  });
});

test("a star that is written is none that stands for any text", () => {
  expect(reach("- name: Run\n  command: { run: 'rm *.txt' }")).toEqual({ commands: [{ name: "rm \\*.txt" }] });
  expect(reach("- name: Run\n  command: { run: 'rm \\*.txt \\n' }")).toEqual({ commands: [{ name: "rm \\\\\\*.txt \\n" }] });
});

test("stages of a pipeline touch other collections", () => {
  const mongo = 'global:\n  databases:\n    main: { driver: mongodb, conn_string: "mongodb://docs.example/shop" }\n';
  const pipeline = "[{ $lookup: { from: users, as: u } }, { $unionWith: { coll: a|env::MORE| } }, { $out: { db: old, coll: copies } }]";
  expect(
    reach(`- name: A\n  database: main\n  document_operation: { collection: orders, operation: aggregate, pipeline: ${pipeline} }`, mongo),
  ).toEqual({
    tables: [
      { name: "*", of: "main", verbs: ["find"] },
      { name: "old.copies", of: "main", verbs: ["out"] },
      { name: "orders", of: "main", verbs: ["aggregate"] },
      { name: "users", of: "main", verbs: ["find"] },
    ],
  });
});
