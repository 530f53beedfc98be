import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnalysedPlan } from "../../../../compiler/5-analyse/index.ts";
import { type Mutate, verify } from "../../../../compiler/cli/verify.ts";

// The interpreter gets a plan in which one thing is another one. The comparison of the two paths has to see each such change.

const config = `name: shop
global:
  databases: { main: { driver: sqlite, conn_string: "sqlite:main.db" } }
  secrets: { hook: { kind: vault, http: { url: "https://vault.test/hook" } } }
interfaces:
  transform:
    method: POST
    route: /transform
    actions:
      - name: Rows
        input: a|body|
        post_transforms: [{ keep_attributes: [id, name] }, { rename_keys: { id: key } }]
  matcher:
    method: POST
    route: /matcher
    actions:
      - name: Checked
        input: a|body|
        assert: { http_code_on_error: 422, tests: [{ value: count, is_greater_than: 7 }] }
  literal:
    method: POST
    route: /literal
    actions: [{ name: Kept, json_output: { kind: order, of: a|body::id->default(none)| } }]
  marker:
    method: POST
    route: /marker
    actions: [{ name: Kept, json_output: { first: a|body::first|, second: a|body::second| } }]
  reply:
    method: POST
    route: /reply
    actions:
      - name: Kept
        input: a|body::id|
        response_on_success: { http_code: 201, headers: { x-kind: order }, body: '{"id": a|Kept|}' }
  gate:
    method: POST
    route: /gate
    actions:
      - { name: First, input: a|body|, assert: { tests: [{ value: id, is_not_null: true }] } }
      - { name: Second, run_when_succeeded: [First], json_output: 2 }
  query:
    method: POST
    route: /query
    actions: [{ name: Rows, database: main, query: "SELECT id FROM orders WHERE id = ? AND kind = 'a'", params: [a|body::id|] }]
  call:
    method: POST
    route: /call/:id
    actions:
      - name: Stock
        http: { url: "https://stock.test/items/a|params::id|", method: PUT, body: { by: a|body::by| } }
        retry: { attempts: 2 }
  filter:
    method: POST
    route: /filter
    actions:
      - { name: Few, input: a|body::items|, post_transforms: [{ filter: { conditions: { n: 5 } } }] }
  loop:
    method: POST
    route: /loop
    actions:
      - { name: Each, lookup: a|body::items|, actions: [{ name: One, json_output: { of: a|body::n| } }] }
  choice:
    method: POST
    route: /choice
    actions:
      - name: Chosen
        conditional_input: [{ input: low, tests: [{ value: a|body::n|, is_less_than: 3 }] }, { input: high }]
  state:
    method: POST
    route: /state
    actions: [{ name: Kept, state: { set: { key: cursor, value: a|body::n| } } }]
  mail:
    method: POST
    route: /mail
    actions: [{ name: Sent, email: { smtp: { server: smtp.test }, from: a@shop.test, to: [b@shop.test], subject: Hello, text: a|body::text| } }]
  parameter:
    route: /parameter
    params: { limit: { default_value: 20, validate: { is_less_than: 50 } } }
    actions: [{ name: Kept, input: a|params::limit| }]
`;

type Node = Readonly<Record<string, unknown>>;

/** A plan in which a node is another one; `change` gives undefined for a node that stays. */
function changed<T>(part: T, change: (node: Node) => Node | undefined): T {
  if (typeof part !== "object" || part === null || part instanceof Map) return part;
  if (Array.isArray(part)) return part.map((each) => changed(each, change)) as T;
  const node = change(part as Node) ?? (part as Node);
  return Object.fromEntries(
    Object.entries(node).map(([key, inner]) => [key, /^(?:at|shapes|uses|contract)$/.test(key) ? inner : changed(inner, change)]),
  ) as T;
}

/** Changes one interface of the plans. */
const inside =
  (name: string, change: (node: Node) => Node | undefined): Mutate =>
  (plans) => {
    const made = plans.map(
      (plan): AnalysedPlan => ({
        ...plan,
        interfaces: plan.interfaces.map((target) => (target.name === name ? changed(target, change) : target)),
      }),
    );
    // Otherwise the test would look for a difference that is not there.
    expect(made).not.toEqual(plans);
    return made;
  };

const literal = (from: unknown, to: unknown) => (node: Node) =>
  node.op === "lit" && JSON.stringify(node.value) === JSON.stringify(from) ? { ...node, value: to } : undefined;

const text = (from: string, to: string) => (node: Node) => {
  const key = node.op === "text" ? "parts" : "value";
  const said = JSON.stringify(node[key]);
  const isText = node.op === "text" || (node.op === "lit" && said.includes(from));
  return isText ? { ...node, [key]: JSON.parse(said.replace(from, to)) as unknown } : undefined;
};

const path = (from: string, to: string) => (node: Node) =>
  node.op === "at" && JSON.stringify(node.path) === JSON.stringify([from]) ? { ...node, path: [to] } : undefined;

const member = (key: string, from: unknown, to: unknown) => (node: Node) =>
  JSON.stringify(node[key]) === JSON.stringify(from) ? { ...node, [key]: to } : undefined;

const operation = (name: string) => (node: Node) =>
  Array.isArray(node.ops) ? { ...node, ops: node.ops.filter((op: Node) => op.op !== name) } : undefined;

describe("verify catches a change of the interpreted plan:", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pipewright-verify-"));
    writeFileSync(join(folder, "shop.yaml"), config);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function verified(name: string, mutate?: Mutate): Promise<{ readonly status: number; readonly report: Report }> {
    const said = { out: "", err: "" };
    const say = (where: "out" | "err") => (part: string) => {
      said[where] += part;
    };
    const terminal = { cwd: folder, isTerminal: false, colors: { out: false, err: false }, env: {}, out: say("out"), err: say("err") };
    const flags = { format: "json", runs: mutate === undefined ? "20" : "150", seed: "11", filter: name } as const;
    const status = await verify(["."], flags, terminal, mutate);
    if (said.out === "") throw new Error(said.err);
    return { status, report: JSON.parse(said.out) };
  }

  it.each<[string, string, Mutate]>([
    ["an argument of a transform", "transform", inside("transform", literal(["id", "name"], ["id"]))],
    ["the name of a transform", "transform", inside("transform", member("use", "keep_attributes", "remove_attributes"))],
    ["a bound of a matcher", "matcher", inside("matcher", literal(7, 8))],
    ["a matcher", "matcher", inside("matcher", member("use", "is_greater_than", "is_less_than"))],
    ["the status of a failed test", "matcher", inside("matcher", member("http_code_on_error", 422, 409))],
    ["a literal", "literal", inside("literal", literal("order", "orders"))],
    ["a default", "literal", inside("literal", literal("none", "nothing"))],
    ["a path of a marker", "marker", inside("marker", path("first", "second"))],
    ["the status of an answer", "reply", inside("reply", member("http_code", 201, 200))],
    ["a header of an answer", "reply", inside("reply", literal({ "x-kind": "order" }, { "x-kind": "orders" }))],
    ["a gate", "gate", inside("gate", member("run_when_succeeded", { actions: ["First"] }, undefined))],
    ["a query", "query", inside("query", text("kind = 'a'", "kind = 'b'"))],
    ["the address of a call", "call", inside("call", text("/items/", "/item/"))],
    ["the number of attempts", "call", inside("call", member("attempts", 2, 3))],
    ["a condition of a filter", "filter", inside("filter", literal(5, 6))],
    ["the data of a loop", "loop", inside("loop", path("n", "m"))],
    ["a choice", "choice", inside("choice", literal(3, 2))],
    ["what is kept in the state", "state", inside("state", path("n", "m"))],
    ["a mail", "mail", inside("mail", text("Hello", "Hallo"))],
    ["a default of a parameter", "parameter", inside("parameter", literal("20", "21"))],
    ["a test of a parameter", "parameter", inside("parameter", literal(50, 51))],
    ["an op that is missing", "matcher", inside("matcher", operation("check"))],
  ])("%s", async (_, name, mutate) => {
    const { status, report } = await verified(name, mutate);
    expect(status).toBe(1);
    const failure = report.tests.find(({ outcome }) => outcome === "failed")?.failures?.[0];
    expect(failure).toMatchObject({ file: "shop.yaml", message: expect.stringContaining("the printed module and the interpreter differ") });
    expect(failure?.line).toBeGreaterThan(config.split("\n").indexOf(`  ${name}:`));
  });

  it("nothing where nothing is changed", async () => {
    const { status, report } = await verified("");
    expect(report.tests.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect([status, report.passed]).toEqual([0, 14]);
  });
});

interface Report {
  readonly passed: number;
  readonly tests: readonly {
    readonly outcome: string;
    readonly failures?: readonly { readonly message: string; readonly line: number; readonly note?: string }[];
  }[];
}
