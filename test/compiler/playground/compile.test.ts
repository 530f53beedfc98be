import { expect, test } from "vitest";
import { examplesOf } from "../../../scripts/build/playground.mjs";
import { compile } from "../../../templates/playground/compile.ts";
import { root } from "../../harness/folders.ts";
import { commanded } from "./commanded.ts";

// The playground makes of texts what the command makes of them.

const examples = examplesOf(root.pathname);

test("every page of the cookbook is an example", () => {
  expect(examples.map(({ template }) => template)).toEqual(
    expect.arrayContaining(["plain", "http-sqlite", "postgres-crud", "webhook", "poller", "realtime", "mcp-tools", "agent"]),
  );
});

test.each(examples)("$title: the same module and a graph of each interface", async ({ files }) => {
  const compiled = compile(files);
  const { modules, plans } = await commanded(files);
  expect(compiled.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(compiled.modules.map(({ code }) => code)).toEqual(modules.map(({ code }) => code));
  expect(compiled.graphs.length).toBe(plans.reduce((sum, { interfaces }) => sum + interfaces.length, 0));
});

test("a file beside a configuration is read from the folder in memory, and nothing outside of it", () => {
  const text = (path: string): string =>
    `name: A\ninterfaces:\n  a: { method: GET, actions: [{ name: X, json_output: "a|include::${path}|" }] }\n`;
  const codesOf = (path: string): readonly string[] =>
    compile([
      ["api/a.yaml", text(path)],
      ["texts/b.yml", "hello: there"],
    ]).diagnostics.map(({ code }) => code);
  expect(codesOf("../../b.yml")).toContain("PW145");
  expect(codesOf("missing.yml")).toContain("PW145");
});
