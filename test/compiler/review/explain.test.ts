import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { beside } from "../../../compiler/explain/side-by-side.ts";
import { printAll } from "../../../compiler/pipeline.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { run } from "../../harness/terminal.ts";

// `pipewright explain INTERFACE PATH…`: actions with what they wait for, read and touch, and the code beside the YAML.

const text = `name: shop
interfaces:
  orders:
    method: POST
    actions:
      - name: Each
        lookup: a|body::items|
        actions:
          - name: Ask
            http: { url: "https://a|env::STORE|/a|body::id|" }
      - name: Tell
        depends_on: { actions: [Each], at_least: 1 }
        ws_publish: { channels: news, data: a|Each| }
`;

const folder = mkdtempSync(join(tmpdir(), "explain-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "shop.yaml"), text);

test("an interface is explained with its actions as a tree", async () => {
  const { status, out } = await run(folder, "explain", "orders", "shop.yaml", "--no-code");
  expect(status).toBe(0);
  expect(out).toBe(`orders  shop.yaml:3
  reached by  POST /orders
  callers     no test authenticates them
  policy      none

actions
├─ Each  lookup  shop.yaml:6
│     reads body
│  └─ Ask  http  shop.yaml:9
│        reads body, env::STORE
│        touches host a|env::STORE|
└─ Tell  ws_publish  shop.yaml:11
      after Each (depends_on)
      touches channel news

touches
  hosts       a|env::STORE|
  channels    news

needs of the configuration
  env         STORE
`);
});

test("the work of an action is told by the key that is written", async () => {
  const actions = [
    "{ name: A, input: a|body| }",
    "{ name: B, json_output: { x: 1 } }",
    '{ name: C, "json_output": a|A| }',
    "{ name: D, conditional_input: [{ tests: [{ value: a|A::x|, is_equal_to: 1 }], input: a|A| }, a|B|] }",
    "{ name: E, input_fallbacks: [a|A::y|, a|B|] }",
  ];
  const words = `name: words\ninterfaces:\n  one:\n    method: POST\n    actions:\n${actions.map((action) => `      - ${action}\n`).join("")}`;
  writeFileSync(join(folder, "words.yaml"), words);
  const { out } = await run(folder, "explain", "one", "words.yaml", "--graph", "mermaid");
  expect(out.match(/<br>\w+/g)).toEqual(["<br>input", "<br>json_output", "<br>json_output", "<br>conditional_input", "<br>input"]);
});

test("the graph quotes names, so that none becomes a part of it", async () => {
  expect((await run(folder, "explain", "orders", "shop.yaml", "--graph", "mermaid")).out).toBe(`flowchart TD
  a1["Each<br>lookup"]
  subgraph a1s ["each item of Each"]
  a1_1["Ask<br>http<br>host a|env::STORE|"]
  end
  a1 --> a1s
  a2["Tell<br>ws_publish<br>channel news"]
  a1 -- depends_on --> a2
`);
});

test("phases show what they make, and names are held against those that are there", async () => {
  const plan = JSON.parse((await run(folder, "explain", "orders", "shop.yaml", "--phase", "plan")).out);
  expect(plan).toMatchObject({ name: "orders", actions: [{ name: "Each" }, { name: "Tell" }] });
  const [module] = await printAll(planned(text, "shop.yaml"));
  expect((await run(folder, "explain", "orders", "shop.yaml", "--phase", "print")).out).toBe(module?.code);
  expect(await run(folder, "explain", "order", "shop.yaml")).toMatchObject({
    status: 3,
    err: expect.stringContaining("did you mean 'orders'?"),
  });
});

test("code stands beside the YAML that it comes from, in two columns where there is room", async () => {
  const plan = planned(text, "shop.yaml");
  const module = await printOne(plan);
  const lines = plan.sources.lines("shop.yaml");
  const narrow = beside(module, "orders", lines, 80).split("\n");
  const at = narrow.findIndex((line) => line === "  11 │       - name: Tell");
  expect(narrow[at + 1]).toMatch(/^ {5}> {5}(?:const Tell = )?cx\.act\("Tell"/);
  const broad = beside(module, "orders", lines, 200).split("\n");
  expect(broad.find((line) => line.startsWith("  11 "))).toMatch(/- name: Tell +│ {5}.*cx\.act\("Tell"/);
  expect(broad.every((line) => line.length <= 200)).toBe(true);
  // No line of the module is lost.
  const printed = module.code.split("\n").filter((line) => line.includes("cx.act("));
  expect(printed.every((line) => narrow.includes(`     > ${line}`))).toBe(true);
});
