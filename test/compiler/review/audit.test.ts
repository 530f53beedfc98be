import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { audit } from "../../../compiler/audit/index.ts";
import { rules } from "../../../compiler/audit/rules/index.ts";
import { planned } from "../../harness/compile.ts";
import { root } from "../../harness/folders.ts";
import { run } from "../../harness/terminal.ts";

// Each rule of the audit finds what it is about, and has nothing to say of the same without it.

const head = `name: shop\nglobal:\n  databases:\n    main: { driver: postgres, conn_string: "a|env::DB|" }\n    docs: { driver: mongodb, conn_string: "a|env::DOCS|" }\n`;

interface Case {
  readonly rule: string;
  readonly severity?: string;
  /** Keys of the configuration, of the interface, and its actions. */
  readonly config?: string;
  readonly target?: string;
  readonly actions?: string;
}

const who = (matchers: string): string => `- { name: Who, input: a|headers|, assert: { tests: [{ value: authorization, ${matchers} }] } }`;
const jwt = who("is_valid_jwt: a|env::KEY|");
const change = (gate: string): string => `- { name: A, ${gate}, database: main, query: UPDATE t SET a = 1 WHERE b = 2 }`;
const other = "- { name: Other, json_output: 1 }";

const cases: readonly Case[] = [
  { rule: "no-authentication", target: "method: POST", actions: "- { name: A, database: main, query: INSERT INTO t VALUES (1) }" },
  { rule: "no-authentication", severity: "medium", target: "method: POST" },
  // Any caller can write a header that looks like one with a token, and a test that lets a missing token pass proves nothing.
  { rule: "no-authentication", severity: "medium", target: "method: POST", actions: who("is_authorization: true") },
  { rule: "no-authentication", severity: "medium", target: "method: POST", actions: who("is_not_null: false, is_valid_jwt: a|env::KEY|") },
  { rule: "change-without-proof", actions: `${jwt}\n${change("depends_on: [Who]")}` },
  { rule: "change-without-proof", actions: `${jwt}\n${other}\n${change("run_when_succeeded: { actions: [Who, Other], at_least: 1 }")}` },
  {
    rule: "change-without-proof",
    actions: `${jwt}\n- { name: Each, lookup: a|body|, actions: [${change("depends_on: []").slice(2)}] }`,
  },
  { rule: "change-without-proof", actions: change("assert: { tests: [{ action_value: a|headers::x|, is_valid_jwt: a|env::KEY| }] }") },
  { rule: "tool-without-authentication", target: "mcp: { enabled: true, description: Does it }" },
  { rule: "listed-tool", target: "mcp: { enabled: true, description: Does it }" },
  { rule: "public-clients", target: 'ws: "on"\npublic: true' },
  { rule: "no-policy" },
  { rule: "monitored-policy", target: "network: { mode: monitor, rate_limit: { requests: 1, window: 1s } }" },
  { rule: "spoofable-source", target: "network: { ip: { allow: [10.0.0.0/8] } }" },
  {
    rule: "token-of-anybody",
    actions:
      "- { name: Who, input: a|headers|, assert: { tests: [{ value: authorization, is_valid_jwt: { jwks_url: https://a.example } }] } }",
  },
  { rule: "wildcard-egress", actions: '- { name: A, http: { url: a|body::to|, allowed_hosts: ["*"] } }' },
  {
    rule: "wildcard-egress",
    severity: "medium",
    actions: "- { name: A, http: { url: https://a.example } }\n- { name: B, http: { url: a|A::body.next| } }",
  },
  { rule: "unknown-name", actions: "- { name: A, http: { url: a|env::STORE->lower| } }" },
  { rule: "unchecked-certificate", actions: "- { name: A, http: { url: https://a.example, accept_invalid_certs: true } }" },
  {
    rule: "unknown-host-key",
    actions: "- { name: A, sftp: { host: a.example, user: u, password: a|env::P|, accept_any_host_key: true, operation: list, path: / } }",
  },
  { rule: "plain-http", actions: "- { name: A, http: { url: http://a.example/x } }" },
  { rule: "no-timeout", actions: "- { name: A, http: { url: https://a.example } }" },
  { rule: "command", actions: "- { name: A, command: { run: df -h } }" },
  {
    rule: "mail-to-anybody",
    actions: "- { name: A, email: { smtp: { server: a|env::S| }, from: a@b.example, to: a|body::to|, text: hi } }",
  },
  { rule: "publish-anywhere", actions: "- { name: A, ws_publish: { channels: a|body::channel| } }" },
  { rule: "unbounded-query", actions: "- { name: A, database: main, query: SELECT * FROM t }" },
  { rule: "unbounded-query", severity: "low", actions: "- { name: A, database: main, query: SELECT * FROM t WHERE a = 1 }" },
  { rule: "unbounded-query", actions: "- { name: A, database: docs, document_operation: { collection: c, operation: find } }" },
  { rule: "change-of-all-rows", actions: "- { name: A, database: main, query: DELETE FROM t }" },
  { rule: "raw-query", actions: "- { name: A, database: main, query: SELECT * FROM t LIMIT a|env::N->raw| }" },
  { rule: "error-detail", target: "show_error_detail: true" },
  { rule: "recorded-runs", target: "capture: { mode: all }" },
  { rule: "open-docs", config: "docs: true" },
  { rule: "open-metrics", config: "expose_metrics: true" },
  { rule: "literal-secret", actions: "- { name: A, http: { url: https://a.example, bearer_auth: abcdef } }" },
];

const textOf = ({ config, target, actions = "- { name: A, input: a|params| }" }: Case): string =>
  `${config === undefined ? "" : `${config}\n`}${head}interfaces:\n  a:\n${["output: http", ...(target?.split("\n") ?? [])].map((line) => `    ${line}\n`).join("")}    actions:\n${actions.replace(/^/gm, "      ")}\n`;

test.each(cases)("$rule $severity", (given) => {
  const found = audit(planned(textOf(given))).filter(({ rule }) => rule.name === given.rule);
  expect(found.map(({ severity }) => severity)).toEqual([given.severity ?? rules.find(({ name }) => name === given.rule)?.severity]);
});

test("every rule has a case", () => {
  const tested = new Set(cases.map(({ rule }) => rule));
  expect(rules.filter(({ name }) => !tested.has(name)).map(({ name }) => name)).toEqual([]);
});

test.each([
  ["an action that succeeded only with a proof", `${jwt}\n${change("run_when_succeeded: [Who]")}`],
  ["its own condition", change("run_on_assertion: { tests: [{ action_value: a|headers::x|, is_valid_jwt: a|env::KEY| }] }")],
  [
    "an action that waits for a proof itself",
    `${jwt}\n- { name: B, run_when_succeeded: [Who], json_output: 1 }\n${change("run_when_succeeded: [B]")}`,
  ],
  [
    "more actions with a proof than may fail",
    `${jwt}\n${jwt.replace("Who", "Me")}\n${other}\n${change("run_when_succeeded: { actions: [Who, Me, Other], at_least: 2 }")}`,
  ],
  ["a comparison with a secret", `${who("is_equal_to: a|secret::KEY|")}\n${change("run_when_succeeded: [Who]")}`],
])("a change behind %s has nothing unwise", (_, actions) => {
  const text = textOf({
    rule: "",
    target: "method: POST\nnetwork: { source: socket, rate_limit: { requests: 1, window: 1s } }",
    actions,
  });
  expect(audit(planned(text)).map(({ rule, text: found }) => `${rule.name}: ${found}`)).toEqual([]);
});

const table = (sql: string): string =>
  `- { name: T, database: main, query: "${sql}" }\n- { name: R, database: main, query: SELECT a FROM t LIMIT 9 }`;

test.each([
  ["CREATE TABLE IF NOT EXISTS t (a int)", []],
  ["CREATE TABLE IF NOT EXISTS t (a int); CREATE UNIQUE INDEX IF NOT EXISTS i ON t (a)", []],
  ["CREATE TABLE t (a int)", ["no-authentication"]],
  ["CREATE TABLE IF NOT EXISTS t (a int); SELECT a INTO t FROM u LIMIT 9", ["no-authentication"]],
  ["CREATE TABLE IF NOT EXISTS t (a int); INSERT INTO t VALUES (1)", ["no-authentication"]],
  ["CREATE TABLE IF NOT EXISTS t (a int); DROP TABLE u", ["no-authentication"]],
])("a table that is made where it is missing is no change by callers: %s", (sql, expected) => {
  const text = textOf({ rule: "", target: "method: GET\nroute: /t", actions: table(sql) });
  const found = audit(planned(text)).filter(({ severity }) => severity === "high");
  expect(found.map(({ rule }) => rule.name)).toEqual(expected);
});

test("the record of a run in a database is no change by its caller", () => {
  const target = "method: GET\nroute: /t\nresponse: { logs: [{ on: success, database: main }] }";
  const rulesOf = (actions: string) => audit(planned(textOf({ rule: "", target, actions }))).map(({ rule }) => rule.name);
  expect(rulesOf("- { name: A, json_output: 1 }")).not.toContain("no-authentication");
  expect(rulesOf("- { name: A, database: main, query: INSERT INTO pipewright_log VALUES (1) }")).toContain("no-authentication");
});

test("reading the starter for SQLite is open and not grave", () => {
  const text = readFileSync(new URL("templates/http-sqlite/notes.yaml", root), "utf8");
  const found = audit(planned(text, "notes.yaml")).filter(({ rule }) => rule.name === "no-authentication");
  expect(found.map(({ subject }) => subject)).toEqual(["notes/create", "notes/delete"]);
});

const folder = mkdtempSync(join(tmpdir(), "audit-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a comment silences one rule at one place, and the status says how grave the rest is", async () => {
  const text = textOf({ rule: "", target: "show_error_detail: true" });
  writeFileSync(join(folder, "shop.yaml"), text);
  expect((await run(folder, "audit", "shop.yaml")).status).toBe(0);
  const { status, out } = await run(folder, "audit", "shop.yaml", "--fail-on", "medium");
  expect(status).toBe(1);
  expect(out).toContain("medium  shop.yaml:7:3: a: callers see the details of errors  [error-detail]\n");
  writeFileSync(
    join(folder, "shop.yaml"),
    text.replace("  a:\n", "  # pipewright-ignore error-detail only our own people call it\n  a:\n"),
  );
  expect((await run(folder, "audit", "shop.yaml", "--fail-on", "medium")).status).toBe(0);
  expect((await run(folder, "audit", "shop.yaml", "--fail-on", "severe")).status).toBe(3);
});

test("forms for machines and pull requests", async () => {
  writeFileSync(join(folder, "shop.yaml"), textOf({ rule: "" }));
  const json = JSON.parse((await run(folder, "audit", "shop.yaml", "--format", "json")).out);
  expect(json.findings).toMatchObject([{ rule: "no-policy", severity: "low", interface: "a", file: "shop.yaml", line: 7, column: 3 }]);
  const sarif = JSON.parse((await run(folder, "audit", "shop.yaml", "--format", "sarif")).out);
  expect(sarif.runs[0].results).toMatchObject([{ ruleId: "no-policy", level: "note" }]);
  expect(sarif.runs[0].tool.driver.rules).toHaveLength(1);
  expect((await run(folder, "audit", "shop.yaml", "--format", "markdown")).out).toContain(
    "| low | a: it has no network policy | shop.yaml:7:3 | no-policy |",
  );
});
