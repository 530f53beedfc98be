import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../harness/folders.ts";
import { type Stub, stub } from "../../harness/sockets.ts";
import { canaries, config, echo, traces } from "./canaries.ts";

// Secrets with values that occur nowhere else go through every place that could show them: none of them may be found in what leaves the
// process or the compiler, in whatever way it is written.

const masterKey = Buffer.alloc(32, 7).toString("base64");
const folder = mkdtempSync(join(tmpdir(), "pipewright-canary-"));
let vault: Stub;

interface Ended {
  readonly status: number;
  readonly text: string;
}

const bin = fileURLToPath(new URL("bin/pipewright.mjs", root));

/** A real process, so that nothing it writes is missed. */
function pipewright(...args: string[]): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    CANARY: canaries.env,
    VAULT: vault.url,
    PIPEWRIGHT_MASTER_KEY: masterKey,
    PIPEWRIGHT_ALLOW_COMMANDS: "true",
    PIPEWRIGHT_LOG_LEVEL: "trace",
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ status: typeof error?.code === "number" ? error.code : 0, text: stdout + stderr }),
    );
  });
}

beforeAll(async () => {
  vault = await stub((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: { data: { token: canaries.vault } } })),
  );
  mkdirSync(join(folder, "api"));
  writeFileSync(join(folder, "api", "config.yaml"), config);
  writeFileSync(join(folder, "token.txt"), `${canaries.file}\n`);
  writeFileSync(join(folder, "command.txt"), `${canaries.command}\n`);
  for (const [name, value] of [
    ["ENCRYPTED_SEALED", canaries.sealed],
    ["stored", canaries.stored],
  ]) {
    const { status, text } = await pipewright("vars", "set", name ?? "", value ?? "", "--seal", "--env", "production", "--dir", "api");
    expect([status, traces(text)]).toEqual([0, []]);
  }
});

afterAll(async () => {
  await vault.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the search finds what it looks for", () => {
  expect(traces(JSON.stringify(echo)).length).toBeGreaterThanOrEqual(5);
  expect(traces(Buffer.from(`x${canaries.file}y`).toString("base64"))).toEqual(["file as base64 at 1", "file as base64url at 1"]);
  expect(traces(Buffer.from(canaries.file).toString("hex").toUpperCase())).toEqual(["file as upper-case hex"]);
  expect(traces(`?k=${encodeURIComponent(canaries.env).replaceAll("%2F", "%2f").replaceAll("%2B", "%2b")}`)).toEqual([
    "env as lower-case url",
  ]);
  expect(traces(String(new URLSearchParams({ k: canaries.env })))).toEqual(["env as form"]);
  for (const encoding of ["utf8", "latin1", "utf16le"] as const) {
    const bytes = Buffer.from(` ${canaries.file} `, encoding);
    expect([encoding, traces(bytes)]).toEqual([encoding, expect.arrayContaining(["file as plain", "file as json"])]);
  }
  expect(traces(Buffer.from(`canary ${canaries.file.slice(0, -1)}`))).toEqual([]);
});

test.each(["leak", "answer", "envelope"])("run %s, compiled and walked", async (name) => {
  writeFileSync(join(folder, "body.json"), JSON.stringify(echo));
  for (const path of ["compiled", "walked"]) {
    const walked = config.replaceAll("output: cli", "output: cli\n    disable_fastpath: true");
    writeFileSync(join(folder, "api", "config.yaml"), path === "walked" ? walked : config);
    const { status, text } = await pipewright("run", name, "api", "--body", "@body.json", "--env", "production");
    // The command has run, and failed in the ways that are meant to fail.
    expect(text).toContain("***");
    expect([path, status, traces(text)]).toEqual([path, 1, []]);
  }
});

test("modules, bundle, maps, manifest, bill of materials and diagnostics", async () => {
  const printed = await pipewright("generate", "api", "--env", "production");
  const built = await pipewright("build", "api", "--env", "production", "--no-executable");
  const checked = await pipewright("check", "api", "--env", "production", "--format", "json");
  const listed = await pipewright("vars", "list", "--env", "production", "--dir", "api");
  const files = ["generated", "dist", "api"].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name)),
  );
  expect(files.length).toBeGreaterThan(6);
  const texts = [printed, built, checked, listed].map(({ text }) => text);
  for (const text of [...texts, ...files.map((file) => readFileSync(file, "utf8"))]) expect(traces(text)).toEqual([]);
  expect([printed.status, built.status, checked.status, listed.status]).toEqual([0, 0, 0, 0]);
});
