import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { start } from "#runtime/process/program.ts";
import { manifestToEnforce } from "../../../compiler/7-link/manifest.ts";
import { planned } from "../../harness/compile.ts";
import { run } from "../../harness/terminal.ts";

// `--enforce-manifest` of commands and executables: what was not reviewed is neither built nor served.

const folder = mkdtempSync(join(tmpdir(), "pipewright-enforce-"));
const text = (name: string): string =>
  `name: shop\ninterfaces:\n  ${name}: { method: GET, route: /a, actions: [{ name: A, json_output: 1 }] }\n`;
beforeAll(() => {
  writeFileSync(join(folder, "shop.yaml"), text("b"));
  writeFileSync(join(folder, "reviewed.json"), manifestToEnforce(planned(text("a")).plans));
  writeFileSync(join(folder, "other.json"), "[]");
});
afterAll(() => rmSync(folder, { recursive: true }));

const refused = "PW910 interface 'b' of 'shop' is not listed in reviewed.json";

test("build says what was not reviewed, and builds nothing", async () => {
  const { status, err } = await run(folder, "build", "shop.yaml", "--env", "production", "--enforce-manifest", "reviewed.json");
  expect(err).toContain(`shop.yaml: ${refused}\n`);
  expect(status).toBe(1);
});

test("serve does not start", async () => {
  const { status, err } = await run(folder, "serve", "shop.yaml", "--port", "0", "--enforce-manifest", "reviewed.json");
  expect(err).toContain(`cannot start:\n  - ${refused}\n`);
  expect(status).toBe(78);
});

test.each(["serve", "build"])("%s wants a manifest", async (command) => {
  for (const [file, problem] of [
    ["other.json", "--enforce-manifest other.json: it is no manifest of a build"],
    ["none.json", "cannot be read: there is no such file"],
  ] as const) {
    const { status, err } = await run(folder, command, "shop.yaml", "--env", "production", "--enforce-manifest", file);
    expect(err).toContain(problem);
    expect(status).toBe(3);
  }
});

test("an executable that was built without it says so", async () => {
  const said: string[] = [];
  const { promise, resolve } = Promise.withResolvers<number>();
  const write = (line: string): void => void said.push(line);
  const outside = {
    argv: ["node", "shop", "--enforce-manifest", "reviewed.json"],
    env: {},
    execPath: "/bin/shop",
    stdout: { write },
    stderr: { write },
    exit: resolve,
  };
  start([], { environment: "production", version: "1.0.0" }, outside as unknown as NodeJS.Process); // all that a start uses of it
  expect(await promise).toBe(3);
  expect(said.join("")).toContain("--enforce-manifest: this was built without it; build with --enforce-manifest");
});
