import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const command = resolve(import.meta.dirname, "../../../bin/pipewright.mjs");

// The bundle of a build begins before the configurations are read: a build that comes to nothing has to give it up, or its process never
// ends.
test.each([
  ["a missing file", ["missing.yaml", "--env", "staging"], 3, "missing.yaml: no such file or folder"],
  ["a mistake", ["wrong.yaml", "--env", "staging"], 1, "PW"],
  ["no name of an environment", ["wrong.yaml", "--env", "b/ad"], 3, "environment 'b/ad': use 1 to 64 of a-z, 0-9 and -"],
])("a build ends at %s", (_name, args, status, told) => {
  writeFileSync(join(folder, "wrong.yaml"), "name: wrong\ninterfaces: {x: {actoins: []}}\n");
  const ended = spawnSync(process.execPath, [command, "build", ...args], { cwd: folder, encoding: "utf8", timeout: 60_000 });
  expect([ended.status, ended.signal]).toEqual([status, null]);
  expect(ended.stderr).toContain(told);
  expect(readdirSync(folder)).toEqual(["wrong.yaml"]);
});
