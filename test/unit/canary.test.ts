import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../harness/folders.ts";
import { type Stub, stub } from "./sockets.ts";

// Secrets with values that occur nowhere else go through every place that could show them: none of them may be found in what leaves the
// process or the compiler, in whatever way it is written (threat T9).

const canaries = {
  env: "canary-env/3f9a b+c",
  file: "canary-file-77c1é",
  vault: "canary-vault-0b5d",
  command: "canary-command-e4",
  sealed: 'canary-sealed-"91"',
  stored: "canary-stored-5a20",
};

const masterKey = Buffer.alloc(32, 7).toString("base64");
const folder = mkdtempSync(join(tmpdir(), "pipewright-canary-"));
let vault: Stub;

const config = `
name: canary
global:
  variables:
    LOGIN: { token: a|secret::vault::token| }
    SEALED: a|var::ENCRYPTED_SEALED|
  secrets:
    env: { kind: local, data: a|env::CANARY| }
    file: { kind: local, file: token.txt }
    vault: { kind: vault, http: { url: a|env::VAULT|, headers: { x-vault-token: a|secret::env| } } }
    command: { kind: command, data: cat command.txt }
  databases:
    db: { driver: sqlite, conn_string: "sqlite::memory:" }
    broken: { driver: postgres, conn_string: "postgres://svc:a|secret::vault::token|@127.0.0.1:1/a|secret::file|" }
interfaces:
  leak:
    output: cli
    show_error_detail: true
    actions:
      - { name: Field, delay: a|secret::file| }
      - { name: Number, json_output: a|secret::vault::token->to_number| }
      - { name: Address, http: { url: "https://a|secret::command|/a|secret::env|" } }
      - { name: Sent, http: { url: "http://127.0.0.1:1/", headers: { authorization: Bearer a|secret::env| } } }
      - { name: Header, http: { url: "http://127.0.0.1:1/", headers: { "x-a": "a|secret::env|a|body::break|" } } }
      - { name: Statement, database: db, query: "SELECT * FROM a|secret::vault::token->raw|" }
      - { name: Connection, database: broken, query: SELECT 1 }
      - { name: Pattern, json_output: x, assert: { tests: [{ value: a|var::SEALED|, regex: "a|secret::command|(" }] } }
      - { name: Compared, json_output: x, assert: { tests: [{ value: a|secret::file|, is_equal_to: a|secret::stored| }] } }
      - { name: Own, json_output: x, assert: { tests: [{ value: a|body::name|, is_equal_to: other, error_message: "no a|secret::env|" }] } }
      - { name: Missing, json_output: a|secret::vault::none| }
      - { name: Transform, json_output: {}, post_transforms: [{ b64_decode: "a|secret::command|" }] }
      - name: Logs
        json_output: { hidden: 1 }
        pre_log:
          - { msg: "env a|secret::env|, sealed a|var::ENCRYPTED_SEALED|, a|var::LOGIN|, a|secret::stored|" }
          - { msg: '{"of the caller": "a|body|"}', json: true }
        success_log: [{ msg: "a|body::base64| a|body::url| a|body::hex| a|body::json|" }]
    response: { http_code_on_error: 500, custom_body: '{"errors": "a|Field|a|Number|"}' }
  answer:
    output: cli
    show_error_detail: true
    params: { key: { value: a|secret::env|, validate: { is_equal_to: nothing } } }
    actions: []
  envelope:
    output: cli
    show_error_detail: true
    actions:
      - { name: Field, delay: a|secret::file| }
      - { name: Compared, json_output: x, assert: { tests: [{ value: a|secret::vault::token|, is_equal_to: a|secret::stored| }] } }
      - { name: Statement, database: db, query: "SELECT * FROM a|secret::command->raw|" }
`;

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

/** The ways in which a canary may be written, found without any of the product's own code. */
function traces(text: string): string[] {
  return Object.entries(canaries).flatMap(([name, canary]) => {
    const bytes = Buffer.from(canary);
    const base64 = [0, 1, 2].map((offset) =>
      Buffer.concat([Buffer.alloc(offset), bytes])
        .toString("base64")
        .slice(4, -5),
    );
    const forms = {
      plain: canary,
      json: JSON.stringify(canary).slice(1, -1),
      url: encodeURIComponent(canary),
      hex: bytes.toString("hex"),
      ...Object.fromEntries(
        base64.flatMap((core, i) => [
          [`base64 at ${i}`, core],
          [`base64url at ${i}`, core.replaceAll("+", "-").replaceAll("/", "_")],
        ]),
      ),
    };
    return Object.entries(forms).flatMap(([form, written]) => (text.includes(written) ? [`${name} as ${form}`] : []));
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

/** What a caller sends that knows a secret: it is hidden in logs as well. */
const echo = {
  base64: Buffer.from(`user:${canaries.env}`).toString("base64"),
  url: encodeURIComponent(canaries.env),
  hex: Buffer.from(canaries.env).toString("hex"),
  json: JSON.stringify(canaries.sealed),
  break: "x\r\ny",
  name: canaries.vault,
};

test("the search finds what it looks for", () => {
  expect(traces(JSON.stringify(echo)).length).toBeGreaterThanOrEqual(5);
  expect(traces(Buffer.from(`x${canaries.file}y`).toString("base64"))).toEqual(["file as base64 at 1", "file as base64url at 1"]);
});

test.each(["leak", "answer", "envelope"])("run %s, compiled and walked", { timeout: 60_000 }, async (name) => {
  writeFileSync(join(folder, "body.json"), JSON.stringify(echo));
  for (const path of ["compiled", "walked"]) {
    const walked = config.replaceAll("output: cli", "output: cli\n    disable_fastpath: true");
    writeFileSync(join(folder, "api", "config.yaml"), path === "walked" ? walked : config);
    const { status, text } = await pipewright("run", name, "api", "--body", "@body.json", "--env", "production");
    // It has run, and failed in the ways that are meant to fail.
    expect(text).toContain("***");
    expect([path, status, traces(text)]).toEqual([path, 1, []]);
  }
});

test("modules, bundle, maps, manifest, bill of materials and diagnostics", { timeout: 120_000 }, async () => {
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
