import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Inside, Why } from "../../../compiler/why/index.ts";
import { run } from "../../harness/terminal.ts";

// `build --why`: what is in a bundle, what asks for it, and what is not in it.

const folder = mkdtempSync(join(tmpdir(), "pipewright-why-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(
  join(folder, "small.yaml"),
  `name: small
global:
  databases:
    main: { driver: sqlite, conn_string: "sqlite::memory:" }
interfaces:
  rows:
    method: GET
    actions:
      - name: Rows
        database: main
        query: SELECT 1 AS one
        post_transforms:
          - rename_keys: { one: two }
`,
);
writeFileSync(
  join(folder, "large.yaml"),
  `name: large
docs: true
global:
  databases:
    main: { driver: postgres, conn_string: a|env::DATABASE_URL| }
interfaces:
  walked:
    method: GET
    disable_fastpath: true
    actions:
      - name: Rows
        database: main
        query: SELECT 1 AS one
        post_transforms:
          - rename_keys: { one: two }
      - name: Found
        json_output: { a: [{ b: 1 }] }
        post_transforms:
          - extract_with_json_path: "$.a[?@.b == 1]"
`,
);

async function reasons(...words: readonly string[]): Promise<Why> {
  const { status, out, err } = await run(
    folder,
    "build",
    ...words,
    "--env",
    "staging",
    "--no-executable",
    "--quiet",
    "--why",
    "--format",
    "json",
  );
  expect([status, err]).toEqual([0, ""]);
  return JSON.parse(out).why;
}

const part = ({ inside }: Why, name: string): Inside | undefined => inside.find((each) => each.part === name);

test("a part that is inside has its place in the YAML, its bytes and its packages", async () => {
  const small = await reasons("small.yaml");
  expect(part(small, "driver sqlite")).toMatchObject({ at: ["small.yaml:4:5"], packages: [] });
  expect(part(small, "transform rename_keys")).toMatchObject({ at: ["small.yaml:13:13"] });
  expect(small.always.packages).toContain("pino");
  const weights = [small.always.bytes, ...small.inside.map(({ bytes }) => bytes)];
  expect(Math.min(...weights)).toBeGreaterThan(0);
  // Names of files, comments and the module itself are the rest.
  expect(weights.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(0.8 * small.bytes);
});

test("what another configuration asks for is left out here, with the words that ask for it", async () => {
  const [small, large] = [await reasons("small.yaml"), await reasons("large.yaml")];
  const left = new Map(small.outside.map((each) => [each.part, each]));
  for (const [name, words, ...packages] of [
    ["driver postgres", "databases: { …: { driver: postgres } }", "pg"],
    ["the interpreter", "disable_fastpath: true of an interface"],
    ["API document and its page", "docs: true"],
    ["JSONPath", "a path with filters, slices or descent (RFC 9535)", "json-p3"],
    ["transform extract_with_json_path", "post_transforms: [{ extract_with_json_path: … }]"],
  ] as const) {
    expect(left.get(name)).toMatchObject({ part: name, written: words, packages });
    expect(part(small, name)).toBeUndefined();
    expect(part(large, name)).toMatchObject({ packages, at: [expect.stringMatching(/^large\.yaml/)] });
    expect(large.outside.map((each) => each.part)).not.toContain(name);
  }
  expect(part(large, "driver postgres")?.bytes).toBeGreaterThan(50_000);
  // A part is in or out, never both.
  for (const { inside, outside } of [small, large]) {
    const inNames = inside.map((each) => each.part);
    expect(outside.filter((each) => inNames.includes(each.part))).toEqual([]);
  }
});

test("two configurations that ask for a part are both named", async () => {
  const both = await reasons("small.yaml", "large.yaml");
  expect(part(both, "transform rename_keys")?.at.toSorted()).toEqual([expect.stringMatching(/^large\.yaml/), "small.yaml:13:13"]);
});

test("people read it in lines, after the sizes of the files", async () => {
  const { status, out } = await run(folder, "build", "small.yaml", "--env", "staging", "--no-executable", "--quiet", "--why");
  expect(status).toBe(0);
  expect(out).toMatch(/^dist\/bundle\.cjs {2}\d\.\d MB, \d+ packages inside\n[\s\S]*\n\nbundle\.cjs has \d+ kB\n/);
  expect(out).toMatch(/^ +\d[\d.]* kB {2}transform rename_keys {2}small\.yaml:13:13$/m);
  expect(out).toMatch(/^ {2}driver mysql \(mysql2\) {2}databases: \{ …: \{ driver: mysql \} \}$/m);
  expect(out).toMatch(/^ {2}\d+ transforms: add_attribute, [\s\S]* {2}such as post_transforms: \[\{ add_attribute: … \}\]$/m);
});
