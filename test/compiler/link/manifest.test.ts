import { expect, test } from "vitest";
import { analyse } from "../../../compiler/5-analyse/index.ts";
import { bundle } from "../../../compiler/7-link/bundle.ts";
import { licences } from "../../../compiler/7-link/licences.ts";
import { type ConfigsInput, factsOfConfigs, type ManifestInput, manifest } from "../../../compiler/7-link/manifest.ts";
import { ownPackage } from "../../../compiler/7-link/root.ts";
import { sbom } from "../../../compiler/7-link/sbom.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { options, printed } from "./printed-config.ts";

// Documents beside a bundle: the manifest, the bill of materials, the texts of licences.

const plan = analyse(
  {
    name: "posts",
    file: "api/posts.yml",
    variables: [],
    secrets: [],
    databases: [],
    needs: { env: ["TOKEN"], vars: [], secrets: [] },
    interfaces: [
      {
        name: "posts/list",
        method: "GET",
        route: "/posts",
        output: "http",
        disable_fastpath: false,
        silence: false,
        show_error_detail: false,
        params: [],
        actions: [
          {
            name: "Fetch",
            gates: {},
            reads: [],
            hide: {},
            logs: {},
            ops: [
              {
                op: "query",
                use: "database",
                database: "main",
                args: { op: "lit", value: null },
                at: { file: "api/posts.yml", start: 0, end: 1 },
              },
            ],
            at: { file: "api/posts.yml", start: 0, end: 1 },
          },
        ],
        response: {},
        contract: {},
        at: { file: "api/posts.yml", start: 0, end: 1 },
      },
    ],
  },
  () => undefined,
);

const manifestOf = (facts: ManifestInput & ConfigsInput): string => manifest(facts, [...factsOfConfigs(facts)]);

test("the manifest states routes, needs and reach, without time or path", () => {
  const facts = {
    version: "0.1.0",
    environment: "staging",
    modules: [printed("posts")],
    plans: [plan],
    packages: [],
    node: "24.21.0",
    files: [],
  };
  const content = JSON.parse(manifestOf({ ...facts, effectOf: () => "state" }));
  expect(content.configs[0].interfaces).toEqual([
    {
      name: "posts/list",
      method: "GET",
      route: "/posts",
      output: "http",
      path: "printed",
      actions: ["database"],
      databases: ["main"],
      effects: ["state"],
      capabilities: { tables: [{ name: "*", of: "main", verbs: ["*"] }] },
    },
  ]);
  expect(content.needs).toEqual({ env: ["TOKEN"], vars: [], secrets: [] });
  expect(content.configs[0].module_sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(content)).not.toMatch(/\d{4}-\d\d-\d\dT|\/tmp|node_modules/);
});

test("facts of a review have a line each, and all else one for each part", () => {
  const long = { checks: { "test of id": { leaves: {} } }, reach: {}, names: ["a", "b"], "a\nb": "\u2028" };
  const facts = { version: "0", environment: "staging", modules: [], plans: [plan], packages: [], node: undefined, files: [] };
  const written = manifestOf({ ...facts, effectOf: () => "state", reviewed: (_, target) => (target === undefined ? {} : long) });
  const plain = manifestOf({ ...facts, effectOf: () => "state" });
  expect(plain).toBe(`${JSON.stringify(JSON.parse(plain), null, 2)}\n`);
  expect(JSON.parse(written).configs[0].interfaces[0].facts).toEqual(long);
  expect(written).toContain(
    [
      '          "facts": {',
      '            "checks": {"test of id":{"leaves":{}}},',
      '            "reach": {},',
      '            "names": ["a","b"],',
      '            "a\\nb": "\\u2028"',
      "          }",
    ].join("\n"),
  );
  expect(written).toContain('"facts": {},');
});

test("the manifest tells of loops and of records, too", () => {
  const { plans } = planTexts([
    {
      file: "a.yaml",
      text: `
name: a
global: { databases: { main: { driver: sqlite, conn_string: "sqlite::memory:" }, log: { driver: sqlite, conn_string: "sqlite::memory:" } } }
interfaces:
  loop:
    response: { logs: [{ on: any, database: log }] }
    actions:
      - name: Outer
        lookup: a|params::ids|
        actions:
          - name: Inner
            lookup: a|body|
            actions:
              - { name: Query, database: main, query: SELECT 1 }
              - { name: Call, http: { url: https://example.com } }
`,
    },
  ]);
  const facts = { version: "0.1.0", environment: "staging", modules: [], plans, packages: [], node: undefined, files: [] };
  const content = JSON.parse(manifestOf({ ...facts, effectOf: (action) => (action === "http" ? "network" : "state") }));
  expect(content.capabilities).toEqual({ actions: ["database", "http"], databases: ["log", "main"], effects: ["network", "state"] });
});

test("bill of materials and licence texts cover what is inside, scoped packages and Node included", async () => {
  const { packages } = await bundle([], { ...options, entry: 'import fastify from "fastify";\nexport const make = () => fastify();\n' });
  const bill = JSON.parse(sbom({ name: "posts", version: "1.0.0", pipewright: "0.1.0", packages, node: "24.21.0" }));
  const references = bill.components.map((component: { "bom-ref": string }) => component["bom-ref"]);
  expect(references).toEqual(
    expect.arrayContaining([expect.stringMatching(/^pkg:npm\/fastify@5/), expect.stringMatching(/^pkg:npm\/%40fastify\/error@/)]),
  );
  expect(references.at(-1)).toBe("pkg:github/nodejs/node@v24.21.0");
  expect(bill.dependencies).toEqual([{ ref: "service", dependsOn: references }]);
  const texts = licences(packages, ownPackage(), { version: "24.21.0", licence: "Node.js is licensed" });
  for (const { name, version } of packages) expect(texts).toContain(`${name} ${version} (`);
  expect(texts).toContain("Copyright (c) 2016-present The Fastify team");
  expect(texts).toContain("Node.js is licensed");
});
