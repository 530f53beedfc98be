import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Project } from "./project.ts";

const config = `name: greet
interfaces:
  greet:
    route: /greet/:name
    params: { name: { validate: { is_not_equal_to: nobody } } }
    actions:
      - name: Greeting
        json_output: { text: "Hello a|params::name|" }
        response_on_success: { body: a|Greeting| }
  add:
    method: POST
    route: /add
    accepts:
      enforce: true
      schema: { type: object, required: [n], properties: { n: { type: number } } }
      example: { n: 1 }
    actions: [{ name: Sum, input: a|body::n| }]
`;

const passing = `tests:
  # The usual case.
  - name: greets by name
    interface: greet
    given: { params: { name: Ada } }
    expect: { body: { text: Hello Ada } }
`;

const junitOfMistake = `<testsuites name="pipewright" tests="1" failures="0" errors="1" skipped="0" time="0.000">
  <testsuite name="greet.yaml" tests="1" failures="0" errors="1" skipped="0" time="0.000">
    <testcase name="PW110: unknown key '&lt;wrong&gt;' in Config" classname="greet.yaml" file="greet.yaml" line="2" time="0.000">
      <error message="unknown key '&lt;wrong&gt;' in Config" type="PW110">greet.yaml:2:1: error PW110: unknown key '&lt;wrong&gt;' in Config</error>
    </testcase>
  </testsuite>
</testsuites>
`;

const failing = `tests:
  - name: greets by name # of whoever comes
    interface: greet
    given: { params: { name: Ada } }
    expect:
      status: 201
      # The whole of it.
      body: { text: Hello Bob }
  - name: is for later
    interface: greet
    skip: nobody knows how
`;

it("a project passes: examples are tests, and files of tests are no configurations", async () => {
  using project = new Project({ "greet.yaml": config, "greet.test.yaml": passing });
  const { status, out } = await project.run("test", ".");
  expect(out.replace(/ \(\d+ ms\)/g, "").replace(/\d+\.\d s/, "0.1 s")).toBe(`greet.test.yaml
  ✓ greets by name

greet.yaml
  ✓ the examples of add

2 passed in 0.1 s
`);
  expect(status).toBe(0);
  expect(await project.run("check", ".")).toMatchObject({ status: 0, out: "1 config checked, nothing to report\n" });
});

it("a failure shows its place, a diff, and what the actions did", async () => {
  using project = new Project({ "greet.yaml": config, "greet.test.yaml": failing });
  const { status, out } = await project.run("test", ".", "--filter", "GREETS");
  expect(out.replace(/ \(\d+ ms\)/g, "").replace(/\d+\.\d s/, "0.1 s")).toBe(`greet.test.yaml
  ✗ greets by name

✗ greets by name (greet)

greet.test.yaml:6:15: the status is 200, not 201
   4 |     given: { params: { name: Ada } }
   5 |     expect:
>  6 |       status: 201
     |               ^^^

greet.test.yaml:8:21: the body differs at text
   6 |       status: 201
   7 |       # The whole of it.
>  8 |       body: { text: Hello Bob }
     |                     ^^^^^^^^^
  - text: Hello Bob
  + text: Hello Ada
  actions:
    Greeting  succeeded  greet.yaml:7:15

1 failed in 0.1 s
`);
  expect(status).toBe(1);
});

it("--update writes what has come, and leaves all else as it is", async () => {
  using project = new Project({ "greet.yaml": config, "greet.test.yaml": failing });
  expect(await project.run("test", ".", "--update")).toMatchObject({ status: 0, out: "greet.test.yaml: 2 values written\n" });
  expect(project.read("greet.test.yaml")).toBe(failing.replace("201", "200").replace("Bob", "Ada"));
  expect(await project.run("test", ".", "--update")).toMatchObject({ out: "nothing to write: every test passes\n" });
});

it("--update writes numbers that it does not change as they stand in the file", async () => {
  const long = "of many words ".repeat(12).trim();
  const given = failing
    .replace("params: { name: Ada }", "params: { name: Ada }, body: { id: 9007199254740993, hex: 0x1F, e: 1e3 }")
    .replace("nobody knows how", long);
  using project = new Project({ "greet.yaml": config, "greet.test.yaml": given });
  expect(await project.run("test", ".", "--update")).toMatchObject({ out: "greet.test.yaml: 2 values written\n" });
  expect(project.read("greet.test.yaml")).toBe(given.replace("201", "200").replace("Bob", "Ada"));
});

it("--format junit and --out write a report that CI reads", async () => {
  using project = new Project({ "greet.yaml": config, "greet.test.yaml": failing });
  const { status } = await project.run("test", ".", "--format", "junit", "--out", "report.xml");
  expect(status).toBe(1);
  const report = project.read("report.xml").replace(/time="[\d.]+"/g, 'time="0"');
  expect(report).toContain('<testsuites name="pipewright" tests="3" failures="1" errors="0" skipped="1" time="0">');
  expect(report).toContain('<testcase name="is for later" classname="greet" file="greet.test.yaml" line="9" time="0">');
  expect(report).toContain('<skipped message="nobody knows how"/>');
  expect(report).toContain("greet.test.yaml:6:15: the status is 200, not 201");
});

it.each(["junit", "json"])("mistakes of a configuration are in the %s report, in place of that of the run before", async (format) => {
  using project = new Project({ "greet.yaml": config.replace("interfaces:", "<wrong>: 1\ninterfaces:"), "greet.test.yaml": passing });
  project.write("report.out", "of the run before");
  const { status, out, err } = await project.run("test", ".", "--format", format, "--out", "report.out");
  expect(status).toBe(1);
  expect(out).toBe("");
  expect(err).toContain("error PW110: unknown key '<wrong>'");
  const report = project.read("report.out");
  expect(await project.run("test", ".", "--format", format)).toMatchObject({ status: 1, out: report });
  if (format === "json") expect(JSON.parse(report)).toMatchObject({ errors: 1, diagnostics: [{ code: "PW110", file: "greet.yaml" }] });
  else expect(report).toContain(junitOfMistake);
});

it("an example that is refused fails", async () => {
  using project = new Project({ "greet.yaml": config.replace("example: { n: 1 }", "example: { n: one }") });
  const [test] = (await project.tests()).values();
  expect(test).toMatchObject({
    outcome: "failed",
    failures: [{ message: "the example of accepts does not fit accepts.schema: /n must be number" }],
  });
});

it.each([
  ["no tests at all", { "greet.yaml": config.replace(/ +example.*\n/, "") }, ["test", "."], "there are no tests"],
  ["a filter that nothing fits", { "greet.yaml": config, "greet.test.yaml": passing }, ["test", ".", "--filter", "x9"], "no test has 'x9'"],
  ["a path that is not there", { "greet.yaml": config }, ["test", "nowhere"], "no such file or folder"],
])("wrong usage: %s", async (_, files, args, words) => {
  using project = new Project(files);
  const { status, err } = await project.run(...args);
  expect(status).toBe(3);
  expect(err).toContain(words);
});

it("a configuration that is named has the tests beside it, and mistakes in either are told as by check", async () => {
  using project = new Project({ "greet.yaml": config, "greet.test.yaml": `${passing}    expects: {}\n` });
  const { status, err } = await project.run("test", "greet.yaml");
  expect(status).toBe(1);
  expect(err).toContain("greet.test.yaml:7:5: error PW110: unknown key 'expects' in ContractTest");
});

it("runs a file of tests that is named, without other tests and examples", async () => {
  using project = new Project({
    "a.yaml": "name: a\ninterfaces: { one: { route: /one, accepts: { example: 1 }, actions: [{ name: A, json_output: 1 }] } }\n",
    "a.test.yaml": "tests: [{ name: first, interface: one }]\n",
    "more/b.test.yaml": "config: ../a.yaml\ntests: [{ name: second, interface: one }]\n",
    "c.test.yaml": "tests: []\n",
  });
  expect((await project.run("test", "a.test.yaml")).out).toMatch(/^a\.test\.yaml\n {2}✓ first.*\n\n1 passed/);
  expect((await project.run("test", "more/b.test.yaml")).out).toMatch(/✓ second.*\n\n1 passed/);
  expect((await project.run("test", "a.test.yaml", "more/b.test.yaml")).out).toContain("2 passed");
  expect((await project.run("test", "a.yaml")).out).toContain("2 passed");
  expect(await project.run("test", "c.test.yaml")).toMatchObject({ status: 3, out: "" });
  expect(await project.run("test", "none.test.yaml")).toMatchObject({
    status: 3,
    err: "pipewright: none.test.yaml: no such file or folder\n",
  });
});

const promised = `name: shop
interfaces:
  price:
    route: /price/:sku
    produces: { enforce: true, schema: { type: object, required: [price], properties: { price: { type: number } } } }
    actions: [{ name: Price, json_output: { price: a|params::sku| }, response_on_success: { body: a|Price| } }]
`;

it("an answer that breaks produces.enforce fails its test, whatever else the test expects", async () => {
  const asks = (sku: string) =>
    `tests: [{ name: asks, interface: price, given: { params: { sku: "${sku}" } }, expect: { includes: {} } }]\n`;
  using project = new Project({ "shop.yaml": promised, "shop.test.yaml": asks("tea") });
  const [failure] = (await project.tests()).get("asks")?.failures ?? [];
  expect(failure).toMatchObject({
    ...{ file: "shop.test.yaml", line: 1 },
    message: "the answer does not fit produces.schema: /price must be number",
  });
  project.write("shop.yaml", promised.replace("a|params::sku|", "12"));
  expect((await project.tests()).get("asks")?.outcome).toBe("passed");
});

it("a run of a test is not recorded, and removes no runs that are", async () => {
  using project = new Project({ "greet.yaml": config.replace("  add:\n", "  add:\n    capture: { mode: all, for_runs: 1 }\n") });
  const kept = join(project.folder, "kept");
  project.write(
    "greet.test.yaml",
    `tests:
  - name: adds in ten years
    interface: add
    given: { body: { n: 1 }, clock: 2036-01-01T00:00:00Z, env: { PIPEWRIGHT_CAPTURE_DIR: ${JSON.stringify(kept)} } }
    expect: { status: 200 }
`,
  );
  const { status, out } = await project.run("test", ".");
  expect(out).toContain("2 passed");
  expect(status).toBe(0);
  expect(existsSync(kept)).toBe(false);
});
