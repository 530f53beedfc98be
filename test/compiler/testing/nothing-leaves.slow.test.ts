import { ChildProcess } from "node:child_process";
import dns from "node:dns";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { messages, Project } from "./project.ts";

// A test of a project reaches nothing outside of the process, whatever its configuration asks for.

const config = `name: out
global:
  databases:
    big: { driver: postgres, conn_string: "postgres://nobody@127.0.0.1:9/big" }
    other: { driver: mysql, conn_string: "mysql://nobody@127.0.0.1:9/big" }
    things: { driver: mongodb, conn_string: "mongodb://127.0.0.1:9/things" }
  aws_credentials: { main: { access_key_id: a|env::NOBODY|, secret_access_key: a|env::NOBODY| }, machine: { region: eu-west-1 } }
  google_credentials: { push: { file: /nowhere/push.json, project_id: shop-1 } }
  secrets:
    kept: { kind: vault, http: { url: "http://127.0.0.1:9/secret" } }
interfaces:
  all:
    output: cli
    actions:
      - { name: Call, http: { url: "http://127.0.0.1:9/" } }
      - { name: Named, http: { url: "http://example.invalid/" } }
      - { name: Data, http: { url: "http://a|body::host|/" } }
      - { name: Proxied, http: { url: "http://127.0.0.1:9/", proxy: "http://127.0.0.1:9" } }
      - { name: Big, database: big, query: SELECT 1 }
      - { name: Other, database: other, query: SELECT 1 }
      - { name: Things, database: things, document_operation: { collection: things, operation: find } }
      - { name: Secret, json_output: a|secret::kept| }
      - { name: Command, command: { run: "touch /tmp/never" } }
      - { name: Token, google: { create_token: { scopes: [a] } } }
      - { name: Mail, email: { smtp: { server: 127.0.0.1, port: 9 }, from: a@shop.test, to: [b@shop.test], subject: a, text: b } }
      - { name: Files, sftp: { host: 127.0.0.1, port: 9, user: ann, password: a, accept_any_host_key: true, operation: list, path: / } }
      - { name: Object, aws: { credential: main, delete_object: { bucket: shop, key: a } } }
      - { name: Queue, aws: { credential: machine, send_message: { queue_url: "https://queue.test/1/a", body: a } } }
      - { name: Ses, email: { aws_ses: true, credential: machine, from: a@shop.test, to: [b@shop.test], subject: a, text: b } }
      - { name: Topic, mqtt_publish: { topics: [a], data: 1 } }
      - { name: Model, agent: { model: { api: openai, url: "http://127.0.0.1:9/v1", name: m }, prompt: hi } }
      - { name: Claude, agent: { model: { api: anthropic, name: m }, prompt: hi } }
      - { name: Tools, agent: { model: { api: openai, name: m }, prompt: hi, tools: [{ mcp: { url: "http://127.0.0.1:9/mcp" }, allow: [a] }] } }
      - { name: Engine, discover: { docker: {} } }
      - { name: Cluster, discover: { kubernetes: { namespace: a } } }
      - { name: Resolved, discover: { dns: { name: example.invalid } } }
`;

const left: string[] = [];
const put: (() => void)[] = [];

/** Notes each call of a method, and does nothing else. */
function watch<T extends object, K extends keyof T & string>(object: T, name: K): void {
  const before = object[name] as (...args: unknown[]) => unknown;
  Object.assign(object, {
    [name]: function (this: unknown, ...args: unknown[]) {
      // The compiler's own bundler is a process.
      if (JSON.stringify(args[0])?.includes("esbuild")) return before.apply(this, args);
      left.push(name);
      const last = args.at(-1);
      if (typeof last === "function") last(new Error("it would have left"));
      return object;
    },
  });
  put.push(() => Object.assign(object, { [name]: before }));
}

beforeEach(() => {
  left.length = 0;
  watch(Socket.prototype, "connect");
  watch(dns, "lookup");
  watch(dns.promises, "lookup");
  watch(ChildProcess.prototype as ChildProcess & { readonly spawn: () => void }, "spawn");
});
afterEach(() => {
  for (const each of put.splice(0)) each();
});

it("every action that asks the outside asks the stubs", async () => {
  using project = new Project({
    "out.yaml": config,
    "out.test.yaml": `tests:
  - name: all
    interface: all
    given: { body: { host: other }, env: { KUBERNETES_SERVICE_HOST: 127.0.0.1, KUBERNETES_SERVICE_PORT: "9" } }
`,
  });
  const found = await project.tests();
  const said = messages(found.get("all")).join("\n");
  for (const wanted of [
    ...["POST http://127.0.0.1:9/v1/chat/completions", "POST https://api.anthropic.com/v1/messages", "POST http://127.0.0.1:9/mcp"],
    ...["GET http://127.0.0.1:9/", "GET http://example.invalid/", "GET http://other/", "the database big", "the database other"],
    ...["things keeps documents", "the secret kept", "touch /tmp/never", "GET http://localhost/containers/json"],
    "POST https://oauth2.googleapis.com/token",
    ...["DELETE https://shop.s3.us-east-1.amazonaws.com/a", "POST https://sqs.eu-west-1.amazonaws.com/"],
    "POST https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails",
  ])
    expect(said, wanted).toContain(wanted);
  expect(left).toEqual([]);
});

it("verify asks nobody either", async () => {
  using project = new Project({ "out.yaml": config });
  expect((await project.run("verify", ".", "--runs", "10", "--seed", "3")).status).toBe(0);
  expect(left).toEqual([]);
});

it("stubs answer for a container engine", async () => {
  using project = new Project({
    "found.yaml": `name: found
interfaces:
  found: { output: cli, actions: [{ name: Engine, discover: { docker: {} } }] }
`,
    "found.test.yaml": `tests:
  - name: members
    interface: found
    given:
      stubs:
        GET http://localhost/containers/json: { body: [{ Names: [/one], State: running, NetworkSettings: { Networks: { a: { IPAddress: 10.0.0.7 } } } }] }
    expect: { tests: [{ value: 'body.data.Engine.data[0].address', is_equal_to: 10.0.0.7 }] }
`,
  });
  expect(messages((await project.tests()).get("members"))).toEqual([]);
});

it("stubs answer for AWS, whose keys are made up", async () => {
  using project = new Project({
    "cloud.yaml": `name: cloud
global:
  aws_credentials: { main: { region: eu-central-1, access_key_id: a|env::NOBODY|, secret_access_key: a|env::NOBODY| } }
interfaces:
  keep: { output: cli, actions: [{ name: Kept, aws: { upload_object: { bucket: shop, key: "in/a|body::name|", content: hi } } }] }
`,
    "cloud.test.yaml": `tests:
  - name: stored
    interface: keep
    given:
      body: { name: a b }
      stubs:
        PUT https://shop.s3.eu-central-1.amazonaws.com/in/a%20b: { headers: { etag: '"e"' } }
    expect: { tests: [{ value: 'body.data.Kept.data.etag', is_equal_to: e }] }
`,
  });
  expect(messages((await project.tests()).get("stored"))).toEqual([]);
});
