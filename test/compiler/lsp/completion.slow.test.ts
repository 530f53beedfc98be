import { afterAll, beforeAll, expect, test } from "vitest";
import { OpenProject, shop } from "./project.ts";

// Offers of an editor at a place, also in texts that are no YAML yet.

let project: OpenProject;

beforeAll(async () => {
  project = await OpenProject.of({
    "shop.yaml": shop,
    "vars/base.yaml": "LIMIT: 5\n",
    "modules/checks.yaml": "type: Assert\nspec:\n  tests:\n    - value: id\n      is_not_empty: true\n",
  });
});

afterAll(() => project[Symbol.asyncDispose]());

const inAction = (line: string): string =>
  shop.replace('        json_output: { text: "a|First::customer.name->upper|", greeting: a|var::GREETING| }', line);

test("keys of an action, without those that are there, with docs", async () => {
  const offers = await project.offers("shop.yaml", inAction("        ‸"));
  const labels = offers.map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(["http", "input", "post_transforms", "retry"]));
  expect(labels).not.toContain("name");
  expect(labels).not.toContain("run_when_succeeded");
  const http = offers.find(({ label }) => label === "http");
  expect(http?.documentation).toMatchObject({ kind: "markdown" });
  expect(http?.textEdit).toMatchObject({ newText: "http:\n          " });
});

test("keys at the top, of an interface, of a block that is still empty", async () => {
  expect(await project.labels("shop.yaml", `${shop}‸`)).toEqual(expect.arrayContaining(["on_error", "network", "mcp_servers"]));
  expect(await project.labels("shop.yaml", shop.replace("    route: /items\n", "    ‸\n"))).toContain("route");
  expect(await project.labels("shop.yaml", inAction("        retry:\n          ‸"))).toEqual(
    expect.arrayContaining(["attempts", "delay", "jitter"]),
  );
  expect(await project.labels("shop.yaml", inAction("        retry: { at‸ }"))).toContain("attempts");
});

test("transforms and matchers, where no key is written yet", async () => {
  expect(await project.labels("shop.yaml", inAction("        post_transforms:\n          - ‸"))).toEqual(
    expect.arrayContaining(["keep_attributes", "rename_keys", "filter"]),
  );
  expect(
    await project.labels("shop.yaml", inAction("        assert:\n          tests:\n            - value: id\n              is‸")),
  ).toEqual(expect.arrayContaining(["is_equal_to", "is_not_empty"]));
});

test("words, flags, and names of what is defined elsewhere", async () => {
  expect(await project.labels("shop.yaml", inAction("        retry: { attempts: 2, jitter: ‸ }"))).toEqual(
    expect.arrayContaining(["full", "none"]),
  );
  expect(await project.labels("shop.yaml", inAction("        hide_action: ‸"))).toEqual(["true", "false"]);
  expect(await project.labels("shop.yaml", inAction("        database: ‸"))).toEqual(["main"]);
  expect(await project.labels("shop.yaml", inAction("        depends_on: [It‸]"))).toEqual(expect.arrayContaining(["Items", "First"]));
  expect(await project.labels("shop.yaml", inAction("        depends_on:\n          - ‸"))).toEqual(
    expect.arrayContaining(["Items", "First"]),
  );
  expect(await project.labels("shop.yaml", `${shop}on_error:\n  interface: ‸\n`)).toEqual(["list", "other"]);
  expect(await project.labels("shop.yaml", inAction("        assert: ‸"))).toContain("a|module::checks|");
});

test("the methods of an interface and of a call", async () => {
  const ofInterface = await project.labels("shop.yaml", shop.replace("    route: /items\n", "    route: /items\n    method: ‸\n"));
  expect(ofInterface).toEqual(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "ANY"]);
  const ofCall = await project.labels("shop.yaml", inAction("        http: { url: https://example.com, method: P‸ }"));
  expect(ofCall).toEqual(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]);
});

test("a gate is offered neither its own action nor one that waits for it", async () => {
  const actions = ["A", "B", "C", "D"].map((name) => `      - { name: ${name}, input: a|params|, GATE${name} }`).join("\n");
  const text = `name: gates\ninterfaces:\n  list:\n    route: /gates\n    actions:\n${actions}\n`
    .replace("GATEA", "run_when_succeeded: [‸]")
    .replace("GATEB", "depends_on: [A]")
    .replace("GATEC", "run_when_failed: [B]")
    .replace("GATED", "x-note: 1");
  expect(await project.labels("gates.yaml", text)).toEqual(["D"]);
});

test("roots and actions of markers, and their names", async () => {
  const labels = await project.labels("shop.yaml", inAction("        input: a|‸"));
  expect(labels).toEqual(expect.arrayContaining(["Items", "First", "body", "params", "var"]));
  expect(await project.labels("shop.yaml", inAction("        input: a|var::‸"))).toEqual(["GREETING", "LIMIT"]);
  expect(await project.labels("shop.yaml", inAction("        input: a|template::th‸|"))).toEqual(["thanks"]);
  expect(await project.labels("shop.yaml", inAction("        input: a|secret::‸"))).toEqual(["token"]);
});

test("paths from the inferred shapes: columns of a query, members of a structure, data in a transform", async () => {
  const offers = await project.offers("shop.yaml", inAction('        json_output: { text: "a|First::‸'));
  expect(offers.map(({ label, detail }) => [label, detail])).toEqual([["customer", expect.stringMatching(/name: .*age/)]]);
  expect(await project.labels("shop.yaml", inAction("        input: a|First::customer.‸"))).toEqual(["name", "age"]);
  expect(await project.labels("shop.yaml", inAction("        input: a|First::customer.na‸|"))).toEqual(["name", "age"]);
  expect(
    await project.labels(
      "shop.yaml",
      inAction("        input: a|First|\n        assert:\n          tests:\n            - value: customer.‸"),
    ),
  ).toEqual(["name", "age"]);
  expect(
    await project.labels("shop.yaml", inAction("        input: a|Items|\n        post_transforms:\n          - keep_attributes: [ti‸]")),
  ).toEqual(["id", "title"]);
});

test("filters behind an arrow, and markers in their arguments", async () => {
  const offers = await project.offers("shop.yaml", inAction("        input: a|First::customer.name->‸"));
  expect(offers.map(({ label }) => label)).toEqual(expect.arrayContaining(["default", "upper", "raw"]));
  expect(await project.labels("shop.yaml", inAction("        input: a|First::customer.name->default(a|var::‸"))).toEqual([
    "GREETING",
    "LIMIT",
  ]);
});

test("a text that is no YAML is completed, whatever is wrong elsewhere in it", async () => {
  const broken = `${inAction('        json_output: { text: "a|First::customer.‸')}\n  broken: [\n    - "{`;
  expect(await project.labels("shop.yaml", broken)).toEqual(["name", "age"]);
  const before = shop.replace("global:", "global: {\n").replace("depends", "");
  expect(await project.labels("shop.yaml", `${before}  third:\n    ‸`)).toEqual(expect.any(Array));
});

test.each(["    summary", '    summary: "x', "    summary: it: is", "      summary: x", "   summary: x", "\tsummary: x"])(
  "a broken line before the place changes nothing: %j",
  async (line) => {
    const broken = (text: string): string => text.replace("    route: /items\n", `    route: /items\n${line}\n`);
    const keys = inAction("        ‸");
    expect(await project.labels("shop.yaml", broken(keys))).toEqual(await project.labels("shop.yaml", keys));
    expect(await project.labels("shop.yaml", broken(inAction("        input: a|First::customer.‸")))).toEqual(["name", "age"]);
    expect(await project.shown("shop.yaml", broken(shop.replace("First::customer.name", "First::customer.na‸me")))).toContain('"Ann"');
  },
);

test("a text in quotes that is still open may go on in the line of the place", async () => {
  expect(await project.labels("shop.yaml", inAction('        input: "a\n          b a|‸'))).toContain("body");
});

test("right behind a colon and a dash the blank is written, too", async () => {
  const added = async (line: string): Promise<unknown> => (await project.offers("shop.yaml", inAction(line)))[0]?.textEdit;
  expect(await added("        hide_action:‸")).toMatchObject({ newText: " true" });
  expect(await added("        http: { url: https://example.com, method:‸ }")).toMatchObject({ newText: " GET" });
  expect(await added("        depends_on:\n          -‸")).toMatchObject({ newText: " Items" });
});

test("the words of a pattern, and a marker inside brackets that the editor has closed", async () => {
  expect(await project.labels("shop.yaml", inAction("        retry: { attempts: 2, on: [‸] }"))).toEqual(["any", "timeout", "connect"]);
  expect(await project.labels("shop.yaml", inAction("        input: a|First::customer.name->default(a|var::‸)|"))).toEqual([
    "GREETING",
    "LIMIT",
  ]);
});

test("CRLF, tabs and emoji: the range that is replaced is the word", async () => {
  const text = inAction('        json_output: { "😀": "é a|Fir‸st::customer|" }').replaceAll("\n", "\r\n");
  const [offer] = (await project.offers("shop.yaml", text)).filter(({ label }) => label === "First");
  const line = text.split("\r\n").findIndex((each) => each.includes("😀"));
  const start = (text.split("\r\n")[line] ?? "").indexOf("Fir");
  expect(offer?.textEdit).toEqual({ newText: "First", range: { start: { line, character: start }, end: { line, character: start + 5 } } });
  expect(await project.labels("shop.yaml", inAction("        input:\ta|Fi‸"))).toContain("First");
});
