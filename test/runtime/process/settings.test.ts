import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { parseFlags, readSettings } from "#runtime/process/settings/options.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("settings", () => {
  const settings = (flags: Parameters<typeof readSettings>[0], env: Parameters<typeof readSettings>[1] = {}) => readSettings(flags, env);

  test("defaults", async () => {
    expect(await settings({})).toMatchObject({
      organisation: "local",
      environment: "production",
      address: "0.0.0.0",
      port: 4111,
      variables: {},
      unmet: [],
    });
  });

  test("flags win over the environment, the real environment over .env", async () => {
    const dotenv = file(".env", 'PIPEWRIGHT_ENV=dev\nPIPEWRIGHT_ORG="acme"\nA=1\nB=2\n');
    const found = await settings(
      { dotenv, env: "staging", port: "0" },
      { B: "real", PIPEWRIGHT_MAX_BODY_BYTES: "64", PIPEWRIGHT_MAX_DELAY_SECS: "2" },
    );
    expect(found).toMatchObject({ environment: "staging", organisation: "acme", port: 0, env: { A: "1", B: "real" } });
    expect(found.limits).toMatchObject({ maxBodyBytes: 64, maxDelayMs: 2_000, runTimeoutMs: 300_000 });
  });

  test("files of variables: a later one wins, values keep their types", async () => {
    const first = file("first.yaml", "A: 1\nB: [x, {y: null}]\n__proto__: p\n");
    const second = file("second.yml", "A: two\n");
    const { variables } = await settings({ vars: [second] }, { PIPEWRIGHT_VARS: first });
    expect(Object.entries(variables)).toEqual([
      ["A", "two"],
      ["B", ["x", { y: null }]],
      ["__proto__", "p"],
    ]);
  });

  test.each(["PIPEWRIGHT_DATABASE_URL", "PIPEWRIGHT_STATE_DATABASE_URL"])("%s names a database that can be used", async (name) => {
    for (const url of ["postgres://h/d", "postgresql://h/d", "sqlite:f", "sqlite::memory:", ""]) {
      expect((await settings({}, { [name]: url })).unmet).toEqual([]);
    }
    expect((await settings({}, { [name]: "mysql://u:secret@h/d" })).unmet).toEqual([`${name} must be postgres://… or sqlite:FILE`]);
  });

  test.each(["PIPEWRIGHT_CLUSTERED", "PIPEWRIGHT_ALLOW_COMMANDS"])("%s is true, false or nothing", async (name) => {
    for (const word of ["true", "false", ""]) expect((await settings({}, { [name]: word })).unmet).toEqual([]);
    expect((await settings({}, { [name]: "yes" })).unmet).toEqual([`${name} must be one of true, false, not 'yes'`]);
  });

  test("the organisation may use everything that no list leaves out", async () => {
    expect((await settings({})).entitlements).toEqual(["compression", "documents"]);
    expect((await settings({}, { PIPEWRIGHT_ENTITLEMENTS: "documents" })).entitlements).toEqual(["documents"]);
    expect((await settings({}, { PIPEWRIGHT_ENTITLEMENTS: "documents, pdf" })).unmet).toEqual([
      "PIPEWRIGHT_ENTITLEMENTS: 'pdf' is none of compression, documents",
    ]);
    expect((await settings({}, { PIPEWRIGHT_MAX_DOCUMENT_BYTES: "5" })).limits.maxDocumentBytes).toBe(5);
  });

  test("an empty file of variables has none", async () => {
    expect(await settings({ vars: [file("empty.yaml", "# nothing\n")] })).toMatchObject({ variables: {}, unmet: [] });
  });

  test("all that is wrong with files and the environment is listed, without what the files hold", async () => {
    const list = file("list.yaml", "- secret\n");
    const broken = file("broken.yaml", "A: [secret\n");
    const sealed = file("sealed.yaml", "A: {sealed: secret}\n");
    const { unmet, warnings } = await settings(
      { vars: [list, broken, sealed] },
      { PIPEWRIGHT_ENV: "No", PIPEWRIGHT_ORG: "a/b", PIPEWRIGHT_RUN_TIMEOUT_MS: "1s", PIPEWRIGHT_VARS: "/nowhere.yaml" },
    );
    const starts = ["environment 'No'", "PIPEWRIGHT_ORG", "PIPEWRIGHT_RUN_TIMEOUT_MS", "/nowhere.yaml cannot", list, broken];
    expect(unmet).toHaveLength(starts.length);
    for (const [i, start] of starts.entries()) expect(unmet[i]).toContain(start);
    expect(unmet.join()).not.toContain("secret");
    expect(warnings).toEqual(["sealed variables cannot be opened: A; what reads them fails"]);
  });

  test.each([
    { vars: ["/nowhere.yaml"] },
    { dotenv: "/nowhere.env" },
    { masterKeyFile: "/nowhere.key" },
    { port: "http" },
    { port: "65536" },
    { port: "-1" },
    { clock: "soon" },
    { env: "No" },
  ])("%j is wrong use", async (flags) => {
    await expect(settings(flags)).rejects.toThrow(UsageError);
  });

  test("--clock takes a time or Unix milliseconds", async () => {
    expect((await settings({ clock: "1970-01-01T00:00:59.000Z" })).clock).toBe(59_000);
    expect((await settings({ clock: "59000" })).clock).toBe(59_000);
  });

  test("flags of an executable", () => {
    expect(parseFlags(["--port", "1", "--vars", "a", "--vars=b"])).toEqual({ port: "1", vars: ["a", "b"] });
    for (const args of [["--clock", "1"], ["--nope"], ["file.yaml"], ["--port"]]) expect(() => parseFlags(args)).toThrow(UsageError);
  });
});

describe("keys of durable runs", () => {
  const good = Buffer.alloc(32, 1).toString("base64");
  const bad = "PIPEWRIGHT_RUNS_KEY must be Base64 of 32 bytes, such as openssl rand -base64 32 prints";

  test.each([
    ["one key", good, []],
    ["a list", `${good}, ${good}`, []],
    ["a key that is too short", "c2hvcnQ=", [bad]],
    ["one of two that is none", `${good},hush`, [bad]],
    ["a list of nothing", ",", [bad]],
    ["a file that is not there", "file:/nowhere/key", ["PIPEWRIGHT_RUNS_KEY: /nowhere/key cannot be read: there is no such file"]],
  ])("%s", async (_name, PIPEWRIGHT_RUNS_KEY, unmet) => {
    expect((await readSettings({}, { PIPEWRIGHT_RUNS_KEY })).unmet).toEqual(unmet);
  });

  test("a file has a key a line, and no configuration reads the variable", async () => {
    const keys = file("keys", `${good}\n${good}\n`);
    expect((await readSettings({}, { PIPEWRIGHT_RUNS_KEY: `file:${keys}` })).unmet).toEqual([]);
    expect(createHost({ env: { PIPEWRIGHT_RUNS_KEY: good } }).readable("PIPEWRIGHT_RUNS_KEY")).toBe(false);
  });
});
