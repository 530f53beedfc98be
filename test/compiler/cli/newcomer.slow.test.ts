import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { nativeTarget } from "../../../compiler/7-link/node.ts";
import { root } from "../../harness/folders.ts";

// The first hour of a newcomer, by the packed archive, in an empty home: nothing of this checkout is on the path, and npm has nothing in
// its cache. The test needs the npm registry, and is skipped when that does not answer.

const scratch = mkdtempSync(join(tmpdir(), "newcomer-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const home = join(scratch, "home");
const prefix = join(scratch, "prefix");
const project = join(scratch, "notes");
mkdirSync(home);

const bin = join(prefix, process.platform === "win32" ? "" : "bin");
const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
const { HTTPS_PROXY, https_proxy, NODE_EXTRA_CA_CERTS } = process.env;
const env = { HOME: home, USERPROFILE: home, PATH: path, HTTPS_PROXY, https_proxy, NODE_EXTRA_CA_CERTS, PIPEWRIGHT_ADMIN_BIND: "off" };

/** Runs a program; gives its status and what it has said. How long it took goes to the log of the test. */
function ran(cwd: string, program: string, ...args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  const began = performance.now();
  return new Promise((resolves) => {
    execFile(program, args, { cwd, env, shell: process.platform === "win32", maxBuffer: 1 << 26 }, (error, out, err) => {
      console.log(
        `${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${[program, ...args].join(" ").replaceAll(scratch, "~")}`,
      );
      resolves({ status: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

const answers = (await ran(scratch, "npm", "ping", "--fetch-retries=0")).status === 0;
if (!answers) console.log("skipped: no npm registry answers");

describe.skipIf(!answers)("a newcomer", { timeout: 600_000 }, () => {
  let archive = "";

  test("packs a checkout to an archive of at most 1 MB", async () => {
    const packed = await ran(fileURLToPath(root), "npm", "pack", "--json", "--pack-destination", scratch);
    const [{ filename, size }]: [{ filename: string; size: number }] = JSON.parse(packed.out);
    archive = join(scratch, filename);
    expect(size).toBeLessThanOrEqual(1_048_576);
  });

  test("installs it for all projects, in at most 200 MB", async () => {
    expect(await ran(scratch, "npm", "install", "--global", "--prefix", prefix, archive)).toMatchObject({ status: 0 });
    expect(bytesIn(prefix) / 1e6).toBeLessThanOrEqual(200);
    expect(await ran(scratch, "pipewright", "--version")).toMatchObject({ status: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test.each(["interfaces", "diagnostics"])("is told by it what the checkout says of all fixtures of %s", async (kind) => {
    const fixtures = fileURLToPath(new URL("test/fixtures/", root));
    const checkout = fileURLToPath(new URL("bin/pipewright.mjs", root));
    const said = await ran(fixtures, "pipewright", "check", kind, "--format", "json");
    expect(said.out).toContain("config.yaml");
    expect(said).toEqual(await ran(fixtures, process.execPath, checkout, "check", kind, "--format", "json"));
  });

  test("runs it without installing it", async () => {
    const made = await ran(scratch, "npx", "--yes", `./${basename(archive)}`, "init", "tried", "--template", "plain");
    expect(made).toMatchObject({ status: 0, out: expect.stringContaining("wrote tried/hello.yaml\n") });
    expect(JSON.parse(readFileSync(join(scratch, "tried", "package.json"), "utf8")).devDependencies.pipewright).toMatch(/^file:vendor\//);
  });

  test("makes a project that installs anywhere, since it carries what is in no registry", async () => {
    expect(await ran(scratch, "pipewright", "init", "notes")).toMatchObject({ status: 0 });
    const { devDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    expect(existsSync(join(project, devDependencies.pipewright.replace("file:", "")))).toBe(true);
    expect(await ran(project, "npm", "install")).toMatchObject({ status: 0 });
  });

  test("breaks it, is told where and what to do, and mends it", async () => {
    const config = join(project, "notes.yaml");
    const text = readFileSync(config, "utf8");
    expect(await ran(project, "npm", "run", "check")).toMatchObject({ status: 0, out: expect.stringContaining("nothing to report") });
    writeFileSync(config, text.replace("method: POST", "mehtod: POST"));
    const broken = await ran(project, "npm", "run", "check");
    expect(broken).toMatchObject({ status: 1, out: expect.stringMatching(/notes\.yaml:\d+:5: error PW110: .*did you mean 'method'\?/) });
    writeFileSync(config, text);
    expect(await ran(project, "npm", "run", "check")).toMatchObject({ status: 0 });
    expect(await ran(project, "npm", "run", "generate")).toMatchObject({ status: 0 });
    expect(await ran(project, "npm", "run", "generate", "--", "--check")).toMatchObject({ status: 0 });
  });

  test("tests it, sees which lines the tests come by, and what a change means", async () => {
    expect(await ran(project, "npm", "test")).toMatchObject({ status: 0, out: expect.stringMatching(/\d+ passed/) });
    expect(await ran(project, "npx", "pipewright", "test", ".", "--coverage=html")).toMatchObject({ status: 0 });
    expect(readFileSync(join(project, "coverage", "index.html"), "utf8")).toContain("notes.yaml");
    const config = join(project, "notes.yaml");
    const before = join(project, "before.yaml");
    const text = readFileSync(config, "utf8");
    writeFileSync(
      before,
      text.replace("error_message: a note needs", "error_message: each note needs").replace("regex: ^[1-9][0-9]?$", "regex: ^[1-9]$"),
    );
    const changed = await ran(project, "npx", "pipewright", "diff", "before.yaml", "notes.yaml");
    rmSync(before);
    expect(changed).toMatchObject({ status: 2, out: expect.stringMatching(/notes\.yaml:\d+:\d+: notes\/list/) });
  });

  test("makes a client, has an interface explained, and runs one", async () => {
    expect(await ran(project, "npx", "pipewright", "generate", ".", "--client", "client.ts")).toMatchObject({ status: 0 });
    expect(readFileSync(join(project, "client.ts"), "utf8")).toMatch(/notes/);
    expect(await ran(project, "npx", "pipewright", "explain", "notes/read", ".")).toMatchObject({
      status: 0,
      out: expect.stringContaining("GET /notes/:id"),
    });
    const listed = await ran(project, "npx", "pipewright", "run", "notes/list", ".", "--force");
    expect(listed).toMatchObject({ status: 0, out: expect.stringContaining('"notes"') });
    const why = await ran(project, "npx", "pipewright", "build", ".", "--env", "development", "--no-executable", "--why", "--out", "why");
    expect(why).toMatchObject({ status: 0, out: expect.stringMatching(/driver sqlite {2}notes\.yaml:\d+/) });
    const held = ["--no-executable", "--out", "held", "--enforce-manifest", join("why", "manifest.json")];
    expect(await ran(project, "npx", "pipewright", "build", ".", "--env", "development", ...held)).toMatchObject({ status: 0 });
  });

  test.skipIf(nativeTarget() === undefined)("builds an executable, whose Node comes from the registry, and asks it", async () => {
    expect(await ran(project, "npm", "run", "build")).toMatchObject({ status: 0, err: expect.stringContaining("load: node-") });
    const name = readdirSync(join(project, "dist")).find((file) => /-production-/.test(file)) ?? "";
    const service = spawn(join(project, "dist", name), ["--vars", "vars/production.yaml", "--address", "127.0.0.1", "--port", "0"], {
      cwd: project,
      env: { PIPEWRIGHT_ADMIN_BIND: "off" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      let url = "";
      for await (const line of createInterface(service.stdout)) {
        [, url = ""] = /"url":"([^"]+)".*"listening"/.exec(line) ?? [];
        if (url !== "") break;
      }
      const body = JSON.stringify({ title: "Groceries" });
      const made = await fetch(`${url}/notes`, { method: "POST", headers: { "content-type": "application/json" }, body });
      expect([made.status, await (await fetch(`${url}/notes`)).json()]).toMatchObject([201, { notes: [{ title: "Groceries" }] }]);
      const ended = once(service, "exit");
      service.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    } finally {
      service.kill("SIGKILL");
    }
  });

  test("on a Node that is too old, is told so and what to do", () => {
    const aged = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } });')}`;
    const command = join(project, "node_modules", "pipewright", "bin", "pipewright.mjs");
    const said = () => execFileSync(process.execPath, ["--import", aged, command, "--version"], { env, encoding: "utf8", stdio: "pipe" });
    expect(said).toThrow(/pipewright needs Node 24 or newer, this is v.*Install it/s);
  });
});

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
