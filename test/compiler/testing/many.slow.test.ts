import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import { root } from "../../harness/folders.ts";
import { yardstick } from "../../laws/block/yardstick.ts";
import { Project } from "./project.ts";

// The contract tests of the starters, again and again until there are 500: databases in memory and by scripts, stubs of services and of a
// model, tokens, signatures, schedules, sockets and tools, in files beside seven configurations.

const count = 500;
const starters = ["agent", "http-sqlite", "mcp-tools", "poller", "postgres-crud", "realtime", "webhook"];
const folderOf = (starter: string): string => fileURLToPath(new URL(`templates/${starter}/`, root));
const isTests = (file: string): boolean => file.endsWith(".test.yaml");

/** A starter's file with its tests repeated up to a number, each under a name of its own. */
function repeated(text: string, wanted: number): string {
  const document = parseDocument(text);
  const tests = document.get("tests");
  if (!isSeq(tests)) throw new Error("no tests");
  const originals = tests.items.filter(isMap);
  tests.items = Array.from({ length: wanted }, (_, i) => {
    const copy = originals[i % originals.length]?.clone();
    if (!isMap(copy)) throw new Error("no test");
    const name = copy.get("name", true);
    if (isScalar(name)) name.value = `${String(name.value)} ${i}`;
    return copy;
  });
  return String(document);
}

/** A project that has all starters, with a number of tests in all. */
function projectOf(wanted: number): Project {
  const project = new Project({});
  // A number of variables is in several environments; each configuration has those of its starter here.
  const variables = new Map<string, string>();
  starters.forEach((starter, i) => {
    const folder = folderOf(starter);
    cpSync(folder, project.folder, { recursive: true });
    for (const line of readFileSync(join(folder, "vars/development.yaml"), "utf8").matchAll(/^(\w+):.*$/gm))
      variables.set(line[1] ?? "", line[0]);
    const [file = ""] = readdirSync(folder).filter(isTests);
    const share = Math.floor(wanted / starters.length) + (i < wanted % starters.length ? 1 : 0);
    writeFileSync(join(project.folder, file), repeated(readFileSync(join(folder, file), "utf8"), share));
  });
  rmSync(join(project.folder, "vars"), { recursive: true });
  project.write("vars/development.yaml", [...variables.values()].join("\n"));
  return project;
}

it("500 tests of several kinds take less than two seconds", async () => {
  // A first run loads the modules, which the runner of our own tests translates: their time is not the tests'.
  using first = projectOf(starters.length);
  await first.run("test", ".", "--format", "json");
  using project = projectOf(count);
  // The time of the processor in units of a work that takes 28 ms: a machine that is slow or busy stretches any other.
  const unit = yardstick();
  const [before, began] = [process.cpuUsage(), performance.now()];
  const { status, out, err } = await project.run("test", ".", "--format", "json");
  const { user, system } = process.cpuUsage(before);
  const told = JSON.parse(out === "" ? `{ "err": ${JSON.stringify(err)} }` : out);
  console.log(
    `500 tests take ${Math.round((user + system) / 1_000)} ms of the processor, ${Math.round(performance.now() - began)} ms on the clock`,
  );
  expect([status, told.failed]).toEqual([0, 0]);
  expect(told.passed).toBeGreaterThanOrEqual(count);
  expect((user + system) / 1_000 / unit).toBeLessThan(2_000 / 28);
});
