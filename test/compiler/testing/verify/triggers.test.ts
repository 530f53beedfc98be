import { expect, it, test } from "vitest";
import { Project } from "../project.ts";
import { saying, verified } from "./verified.ts";

// The requests that `verify` makes by each trigger of an interface.

const told = (trigger: string): string => `name: told
interfaces:
  hears:
    ${trigger}
    actions:
      - name: By
        run_on_assertion: { tests: [{ value: a|request::trigger|, is_equal_to: WANTED }] }
        json_output: { mark: 1 }
`;

test.each([
  ["mqtt", "mqtt: heard"],
  ["ws", "ws: true"],
  ["schedule", "schedule: { cron: '0 4 * * *' }"],
  ["mcp", "mcp: { enabled: true }\n    summary: Hears"],
  ["http", "route: /hears"],
  ["cli", "output: cli"],
])("runs by %s are compared", async (trigger, lines) => {
  using project = new Project({ "told.yaml": told(lines).replace("WANTED", trigger) });
  expect((await verified(project, {})).status).toBe(0);
  const { status, out } = await verified(project, {}, saying('"mark":1', '"mark":2'));
  expect(out).toContain("action By");
  if (trigger !== "http" && trigger !== "cli") expect(out).toContain(`trigger: ${trigger}`);
  expect(status).toBe(1);
});

it("a schedule and a tool bring their own parameters", async () => {
  using project = new Project({
    "told.yaml": `name: told
interfaces:
  hears:
    summary: Hears
    schedule: { cron: "0 4 * * *" }
    mcp: { enabled: true }
    accepts: { schema: { type: object, required: [sku], properties: { sku: { enum: [tea] } } } }
    actions:
      - name: At
        run_on_assertion: { tests: [{ value: a|params::scheduled_at|, is_not_null: true }, { value: a|params::attempt|, is_equal_to: "1" }] }
        json_output: { mark: 1 }
      - name: Arguments
        run_on_assertion: { tests: [{ value: a|params::sku|, is_equal_to: tea }, { value: a|body::sku|, is_equal_to: tea }] }
        json_output: { mark: 3 }
`,
  });
  for (const [from, action] of [
    ['"mark":1', "At"],
    ['"mark":3', "Arguments"],
  ] as const) {
    const { out } = await verified(project, {}, saying(from, '"mark":2'));
    expect(out).toContain(`action ${action}`);
  }
});

it("files of SFTP servers are made up", async () => {
  using project = new Project({
    "told.yaml": `name: told
interfaces:
  fetch:
    actions:
      - name: All
        sftp: { host: files.test, user: u, password: p, accept_any_host_key: true, operation: list, path: /in, glob: "*.csv" }
      - name: One
        run_when_succeeded: [All]
        sftp: { host: files.test, user: u, password: p, accept_any_host_key: true, operation: get, path: "/in/a|All::[0].name|" }
      - name: Mark
        run_when_succeeded: [One]
        json_output: { mark: 1 }
`,
  });
  expect((await verified(project, {})).status).toBe(0);
  const { status, out } = await verified(project, {}, saying('"mark":1', '"mark":2'));
  expect(status).toBe(1);
  expect(out).toContain("files.test:/in/a.csv:");
});

it("an answer that breaks produces.enforce is found, unless something from outside was made up for it", async () => {
  const shop = (action: string) => `name: shop
interfaces:
  price:
    method: POST
    accepts: { enforce: true, schema: { type: object, properties: { n: { type: integer } } } }
    produces: { enforce: true, schema: { type: object, required: [price], properties: { price: { type: integer } } } }
    actions: [{ name: Price, ${action} }]
`;
  const own = "json_output: { price: a|body::n| }, response_on_success: { body: a|Price| }";
  using project = new Project({ "shop.yaml": shop(own) });
  const { status, out } = await verified(project, {});
  expect(out).toContain("the answer does not fit produces.schema: /price must be integer");
  expect(out).toContain("shop.yaml:6:");
  expect(status).toBe(1);
  project.write("shop.yaml", shop("http: { url: http://127.0.0.1:1/n }, response_on_success: { body: a|Price::body| }"));
  expect((await verified(project, {})).status).toBe(0);
});
