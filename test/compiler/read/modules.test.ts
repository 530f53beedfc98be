import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodedMappings, TraceMap } from "@jridgewell/trace-mapping";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findConfigs, findModules } from "../../../compiler/1-read/files.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";

// Modules (spec/language 1.5): spliced in place of whole values before anything else is interpreted.

const config = (actions: string, databases = ""): { file: string; text: string } => ({
  file: "main.yml",
  text: `name: main\nglobal: { databases: {${databases}} }\ninterfaces:\n  a:\n    output: http\n    actions:\n${actions}`,
});

const login = { file: "modules/login.yml", text: "type: Assert\nspec: { tests: [{ value: a, is_not_empty: true }] }\n" };
const step = { file: "modules/deep/step.yml", text: "name: Step\njson_output: { x: 1 }\n" };
const db = { file: "modules/db.yml", text: "type: Database\nspec: { driver: sqlite, conn_string: ':memory:' }\n" };

function said(texts: readonly { file: string; text: string }[], modules: readonly { file: string; text: string }[]): string[] {
  const { diagnostics, sources } = planTexts(texts, { modules });
  return diagnostics.map(({ code, at, message }) => {
    const { line, column } = sources.lines(at.file).at(at.start);
    return `${at.file}:${line}:${column} ${code} ${message}`;
  });
}

describe("a module", () => {
  it("stands for an assert, an action and a database", () => {
    const text = config("      - { name: A, input: a|params|, assert: a|module::login| }\n      - a|module::step|\n", "d: a|module::db|");
    const { plans, diagnostics } = planTexts([text], { modules: [login, step, db] });
    expect(diagnostics).toEqual([]);
    const [plan] = plans;
    expect(plan?.databases.map(({ name, driver }) => [name, driver])).toEqual([["d", "sqlite"]]);
    expect(plan?.interfaces[0]?.actions.map(({ name, ops }) => [name, ...ops.map(({ op }) => op)])).toEqual([
      ["A", "take", "check"],
      ["Step", "take"],
    ]);
  });

  it("may lie beside the configs when one of them names it", () => {
    expect(said([config("      - a|module::step|\n"), { ...step, file: "step.yml" }], [])).toEqual([]);
    expect(said([config("      - { name: A }\n"), { ...step, file: "step.yml" }], [])[0]).toContain("PW113");
  });

  it("keeps its own places: in diagnostics", () => {
    const wrong = { file: "modules/login.yml", text: "tests:\n  - { value: a, is_ful: true }\n" };
    const twice =
      "      - { name: A, input: a|params|, assert: a|module::login| }\n      - { name: B, input: a|params|, assert: a|module::login| }\n";
    expect(said([config(twice)], [wrong])).toEqual(["modules/login.yml:2:17 PW424 unknown matcher 'is_ful' (did you mean 'is_null'?)"]);
  });

  it("keeps its own places: in the source map", async () => {
    const [module] = await printAll(planTexts([config("      - a|module::step|\n")], { modules: [step] }));
    expect(module?.sources).toEqual(["main.yml", "modules/deep/step.yml"]);
    const line = module?.code.split("\n").findIndex((text) => text.includes('"Step"')) ?? -1;
    const [segment] = decodedMappings(new TraceMap(module?.map ?? ""))[line] ?? [];
    expect(segment?.slice(1)).toEqual([1, 0, 6]);
  });
});

describe("mistakes", () => {
  it.each<[string, string, string]>([
    [
      "an unknown handle",
      "      - { name: A, assert: a|module::logn| }\n",
      "main.yml:7:28 PW140 unknown module 'logn' (did you mean 'login'?)",
    ],
    ["a wrong type", "      - a|module::login|\n", "main.yml:7:9 PW141 module 'login' is Assert, expected Action"],
    [
      "another place",
      "      - { name: A, input: a|module::login| }\n",
      "main.yml:7:27 PW142 a module marker must be the whole value of a module slot",
    ],
    [
      "part of a text",
      "      - { name: A, json_output: 'x a|module::login|' }\n",
      "main.yml:7:33 PW142 a module marker must be the whole value of a module slot",
    ],
  ])("%s", (_, actions, expected) => {
    expect(said([config(actions)], [login])).toEqual([expected]);
  });

  it("two of one name, and one inside another", () => {
    const other = { file: "modules/x/login.yml", text: login.text };
    const nested = { file: "modules/nested.yml", text: "name: N\nassert: a|module::login|\n" };
    expect(said([config("      - { name: A }\n")], [login, nested, other])).toEqual([
      "modules/nested.yml:2:9 PW144 a module cannot use another module",
      "modules/x/login.yml:1:1 PW143 module handle 'login' is defined twice",
    ]);
  });
});

describe("the folder modules", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pipewright-modules-"));
    for (const file of [
      "api/main.yml",
      "api/modules/db.yml",
      "api/modules/deep/step.yml",
      "api/v2/modules/login.yml",
      "api/node_modules/x/modules/no.yml",
    ]) {
      mkdirSync(join(folder, file, ".."), { recursive: true });
      writeFileSync(join(folder, file), "");
    }
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const found = (path: string): string[] => findModules([path], folder).map(({ file }) => file);

  it("is found in and below a given folder, and beside a given file", () => {
    expect(found("api")).toEqual(["api/modules/db.yml", "api/modules/deep/step.yml", "api/v2/modules/login.yml"]);
    expect(found("api/main.yml")).toEqual(["api/modules/db.yml", "api/modules/deep/step.yml"]);
    expect(findConfigs(["api"], folder).map(({ file }) => file)).toEqual(["api/main.yml"]);
  });
});
