import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Config } from "#generated/config.ts";
import { planTexts } from "../../compiler/pipeline.ts";
import { root } from "../harness/folders.ts";

// Law `fresh`: generated/ contains exactly the files that `npm run gen` writes from the current sources.

it("generated/ is up to date", () => {
  const { status, stderr } = spawnSync(process.execPath, ["compiler/gen/main.ts", "--check"], {
    cwd: fileURLToPath(root),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

/**
 * A configuration that tsc checks against the generated types and the compiler against the schema: both must describe the same language.
 */
const typed: Config = {
  name: "notes",
  global: { databases: { main: { driver: "sqlite", conn_string: "sqlite:notes.db", timeout: "5s" } }, variables: { LIMIT: 10 } },
  interfaces: {
    notes: {
      method: "GET",
      params: { page: { default_value: 1, validate: { is_greater_than: 0 } } },
      actions: [
        { name: "Notes", database: "main", query: "SELECT * FROM notes LIMIT ?", params: ["a|var::LIMIT|"] },
        { name: "First", input: "a|Notes|", run_when_succeeded: ["Notes"], post_transforms: [{ return_row: 0 }] },
        { name: "Call", http: { url: "https://notes.example/a|First::id|", timeout: "a|params::timeout|", expect_status: [200, "4xx"] } },
      ],
    },
  },
};

it("a configuration that has the generated type is one", () => {
  const { diagnostics } = planTexts([{ file: "notes.yaml", text: JSON.stringify(typed, null, 2) }]);
  expect(diagnostics).toEqual([]);
});

it("the generated type refuses what the schema refuses", () => {
  // @ts-expect-error a misspelt key
  const misspelt: Config = { name: "notes", interfaces: { notes: { methd: "GET" } } };
  // @ts-expect-error a word that is none of the list
  const wrong: Config = { name: "notes", interfaces: { notes: { output: "htpp" } } };
  const said = [misspelt, wrong].map((config) => planTexts([{ file: "notes.yaml", text: JSON.stringify(config) }]).diagnostics);
  expect(said.map((found) => found.map(({ code }) => code))).toEqual([["PW110"], ["PW114"]]);
});
