import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../harness/terminal.ts";

// Files of other tools in a searched folder, and what a project says to ignore.

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "foreign-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

const shop = "name: Shop\ninterfaces:\n  list: { method: GET, actions: [] }\n";
const clean = { status: 0, out: "1 config checked, nothing to report\n" };

describe("a folder that is searched", () => {
  test.each([
    ["Compose", "services:\n  web: { image: nginx }\n"],
    ["Compose with a name", "name: stack\nservices:\n  web: { image: nginx }\n"],
    ["Kubernetes, several documents", "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Pod\n"],
    ["OpenAPI", "openapi: 3.1.0\ninfo: { title: x, version: '1' }\npaths: {}\n"],
    ["a workflow", "name: ci\non: push\njobs: { build: {} }\n"],
    ["a list", "- hosts: all\n  tasks: []\n"],
    ["nothing but a comment", "# later\n"],
  ])("leaves out %s with a line", async (_, text) => {
    write({ "shop.yaml": shop, "deploy/other.yaml": text });
    const skipped = "skipped deploy/other.yaml: no configuration, it has no interfaces\n";
    expect(await run(folder, "check", ".", "--strict")).toEqual({ ...clean, err: skipped });
    expect(await run(folder, "routes", ".", "--format", "json")).toMatchObject({ status: 0, err: skipped });
  });

  test.each([
    ["a configuration without interfaces", "name: Shop\ndescription: x\n", "PW113"],
    ["misspelt interfaces", "interfacs:\n  list: { actions: [] }\n", "PW110"],
    ["what is no YAML", "name: [\n", "PW101"],
  ])("reports %s", async (_, text, code) => {
    write({ "shop.yaml": shop, "other.yaml": text });
    const { status, out, err } = await run(folder, "check", ".");
    expect([status, out, err]).toEqual([1, expect.stringContaining(code), ""]);
  });

  test("with files of other tools alone has no configuration", async () => {
    write({ "compose.yaml": "services: {}\n" });
    expect(await run(folder, "check", ".")).toMatchObject({
      status: 3,
      err: "pipewright: .: no configuration is in it: compose.yaml has no interfaces\n",
    });
  });

  test("a file that is named is taken for a configuration", async () => {
    write({ "compose.yaml": "services: {}\n" });
    expect(await run(folder, "check", "compose.yaml")).toMatchObject({
      status: 1,
      out: expect.stringContaining("this does not look like a configuration"),
    });
  });

  test("a module beside the configurations is none of another tool", async () => {
    write({
      "shop.yaml": "name: Shop\ninterfaces:\n  list: { method: GET, actions: [a|module::step|] }\n",
      "step.yaml": "kind: x\n",
    });
    expect(await run(folder, "check", ".")).toMatchObject({ status: 1, out: expect.stringContaining("step.yaml:1:1"), err: "" });
  });
});

describe("ignore", () => {
  const broken = { "shop.yaml": shop, "charts/a/values.yaml": "{{ no yaml }}: [\n", "drafts/x.yaml": "name: [\n" };

  test.each([
    ["pipewright.yaml", "ignore: [charts, 'drafts/**']\n"],
    ["pipewright.yaml", "ignore: [values.yaml, 'drafts/*.yaml']\n"],
    ["package.json", '{"pipewright": {"ignore": ["./charts/", "**/x.yaml"]}}'],
    ["package.json", '{"ignore": ["charts/**", "drafts"]}'],
  ])("in %s: %s", async (file, text) => {
    write({ ...broken, [file]: text });
    expect(await run(folder, "check", ".", "--strict")).toMatchObject({
      ...clean,
      err: file === "pipewright.yaml" ? expect.any(String) : "",
    });
  });

  test("globs are relative to the folder of their file: the working directory, or the folder that is given", async () => {
    write({ "api/shop.yaml": shop, "api/drafts/x.yaml": "name: [\n", "pipewright.yaml": "ignore: [api/drafts]\n" });
    expect(await run(folder, "check", "api")).toMatchObject({ ...clean, err: "" });
    write({ "pipewright.yaml": "ignore: []\n", "api/package.json": '{"pipewright": {"ignore": ["drafts"]}}' });
    expect(await run(folder, "check", "api")).toMatchObject({ ...clean, err: "" });
  });

  test("a file that is named is never ignored", async () => {
    write({ "shop.yaml": shop, "pipewright.yaml": "ignore: ['*.yaml']\n" });
    expect(await run(folder, "check", "shop.yaml")).toMatchObject(clean);
  });

  test.each([
    ["ignor: [x]\n", "unknown key 'ignor' (did you mean 'ignore'?)"],
    ["target: x\n", "unknown key 'target'; it may have 'ignore', a list of globs"],
    ["ignore: charts\n", "'ignore' must be a list of globs"],
  ])("wrong settings are wrong usage: %j", async (text, says) => {
    write({ "shop.yaml": shop, "pipewright.yaml": text });
    expect(await run(folder, "check", ".")).toMatchObject({ status: 3, err: `pipewright: pipewright.yaml: ${says}\n` });
  });

  test("a configuration may be called pipewright.yaml", async () => {
    write({ "pipewright.yaml": shop });
    expect(await run(folder, "check", ".")).toMatchObject({ ...clean, err: "" });
  });
});

describe("# pipewright-ignore", () => {
  const routes = (before: string, behind = ""): string =>
    `name: Shop\ninterfaces:\n  one: { route: /notes/:id, method: GET, actions: [] }\n${before}  two: { route: /notes/count, method: GET, actions: [] }${behind}\n`;

  test.each([
    ["on the line before", routes("  # pipewright-ignore PW331 count is no id\n")],
    ["behind the line", routes("", " # pipewright-ignore PW331")],
    ["above other comments and empty lines", routes("  # pipewright-ignore PW331 x\n\n  # the number of notes\n")],
    ["with CR LF", routes("  # pipewright-ignore PW331 x\n").replaceAll("\n", "\r\n")],
  ])("silences a warning %s", async (_, text) => {
    write({ "shop.yaml": text });
    expect(await run(folder, "check", ".", "--strict")).toMatchObject(clean);
  });

  test.each([
    ["another code", routes("  # pipewright-ignore PW332 x\n"), ["PW195", "PW331"]],
    ["another line", `# pipewright-ignore PW331 x\n${routes("")}`, ["PW195", "PW331"]],
    ["text that is no comment", routes("").replace("name: Shop", "name: Shop\ndescription: |\n  # pipewright-ignore PW331"), ["PW331"]],
    [
      "an error",
      "name: Shop\ninterfaces:\n  # pipewright-ignore PW110 x\n  one: { rout: /x, method: GET, actions: [] }\n",
      // The warnings of a file with errors are incomplete, so that PW195 is not reported for this comment.
      ["PW110"],
    ],
  ])("silences nothing for %s", async (_, text, codes) => {
    write({ "shop.yaml": text });
    const { out } = await run(folder, "check", ".", "--format", "json");
    const { diagnostics }: { diagnostics: { code: string }[] } = JSON.parse(out);
    expect(diagnostics.map(({ code }) => code).sort()).toEqual([...codes].sort());
  });
});
