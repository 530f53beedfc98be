import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readVariables } from "#runtime/keys/variables.ts";
import { editVariables } from "../../../compiler/cli/variable-file.ts";

// Files of managed variables hold secrets: a process and the command `vars` read them alike, within bounds, and quote nothing of them.

const folder = mkdtempSync(join(tmpdir(), "variables-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, "vars.yaml");
const fault = (line: string): string => `${file} cannot be read: it is not valid YAML, or beyond the limits of a configuration${line}`;

test("values are those of JSON", async () => {
  writeFileSync(file, "# for all\nA: &a [1, 'x']\nB: *a\nC: 2026-01-01\nD: .inf\nE: no\nF:\n");
  expect(await readVariables(file)).toEqual({
    value: { file, values: { A: [1, "x"], B: [1, "x"], C: "2026-01-01", D: ".inf", E: "no", F: null } },
  });
});

describe.each<[string, string, string]>([
  ["a tag of its own", "A: 1\nB: !hunter2 x\n", " (line 2)"],
  ["a tag of another schema", "A: !!binary aHVudGVyMg==\n", " (line 1)"],
  ["an alias without an anchor", "A: 1\n\nB: *hunter2\n", " (line 3)"],
  ["a name that is there twice", "hunter2: 1\nhunter2: 2\n", " (line 2)"],
  ["a quote that is not closed", "A: 'hunter2\n", " (line 2)"],
  ["a second document", "A: hunter2\n---\nB: 1\n", " (line 2)"],
  ["lists inside each other", `A: ${"[".repeat(50_000)}\n`, " (line 1)"],
  ["aliases of aliases", "a: &a [1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c]\n", " (line 4)"],
])("%s", (_, text, line) => {
  test("is refused with its line and without its text", async () => {
    writeFileSync(file, text);
    expect(await readVariables(file)).toEqual({ problem: fault(line) });
    expect(await readVariables(file, { isNamed: true })).toEqual({ problem: fault(line) });
  });

  test("is refused by `vars`, which leaves the file as it is", () => {
    writeFileSync(file, text);
    expect(() => editVariables(file, (document) => document.set("NEW", 1))).toThrow(fault(line));
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
