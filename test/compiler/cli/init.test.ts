import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { load } from "../../../compiler/7-link/load.ts";
import { type Npm, sourceFor } from "../../../compiler/cli/init/source.ts";
import { templates } from "../../../compiler/cli/init/templates.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { root } from "../../harness/folders.ts";
import { run } from "../../harness/terminal.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "init-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Says what the project depends on: packing a checkout takes its time (test/compiler/cli/newcomer.slow.test.ts does). */
const init = (...args: readonly string[]) => run(folder, "init", ...args, "--pipewright", "1.2.3");

const starter = [
  ...[
    ".dockerignore",
    ".github/workflows/ci.yaml",
    ".gitignore",
    ".vscode/extensions.json",
    ".vscode/launch.json",
    ".vscode/settings.json",
    "Dockerfile",
  ],
  ...[
    "README.md",
    "deploy/service.service",
    "notes.test.yaml",
    "notes.yaml",
    "package.json",
    "vars/development.yaml",
    "vars/production.yaml",
  ],
];

/** Files below a folder, sorted; links count as files. */
function filesIn(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
}

const text = (...path: readonly string[]): string => readFileSync(join(folder, ...path), "utf8");

describe("init", () => {
  test.each(Object.keys(templates))("npm asks nothing about scripts of packages that need none: %s", async (template) => {
    await init("shop", "--template", template);
    const { allowScripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
    expect(JSON.parse(text("shop", "package.json"))).toMatchObject({ allowScripts });
  });

  test("writes a project and says what to do with it", async () => {
    const { status, out, err } = await init("My Shop!");
    expect([status, err]).toEqual([0, ""]);
    expect(filesIn(join(folder, "My Shop!"))).toEqual(starter);
    expect(out.match(/^wrote .*$/gm)).toEqual(starter.map((path) => `wrote My Shop!/${path}`));
    expect(out).toContain('Next:\n  cd "My Shop!"\n  npm install\n');
    expect(JSON.parse(text("My Shop!", "package.json"))).toMatchObject({
      name: "my-shop",
      scripts: { check: "pipewright check . --strict --types" },
    });
    expect(text("My Shop!", "README.md")).toMatch(/^# my-shop\n/);
    for (const path of starter) expect(text("My Shop!", path)).not.toMatch(/(?<!\$)\{\{/);
  });

  test("fills the folder it is run in", async () => {
    writeFileSync(join(folder, "LICENSE"), "mine");
    const { status, out } = await init();
    expect(status).toBe(0);
    expect(filesIn(folder)).toEqual([...starter, "LICENSE"].sort());
    expect(out).not.toContain("cd ");
  });

  test("overwrites nothing: all that is in the way is listed at once", async () => {
    mkdirSync(join(folder, "p"));
    writeFileSync(join(folder, "p", "notes.yaml"), "mine");
    writeFileSync(join(folder, "p", "vars"), "a file where a folder is needed");
    symlinkSync("nowhere", join(folder, "p", "Dockerfile"));
    const { status, out, err } = await init("p");
    expect([status, out]).toEqual([1, ""]);
    expect(err).toBe(
      "pipewright: nothing was written, because this would be overwritten:\n  p/Dockerfile\n  p/notes.yaml\n  p/vars\nChoose another folder, or move these away.\n",
    );
    expect(filesIn(join(folder, "p"))).toEqual(["Dockerfile", "notes.yaml", "vars"]);
    expect(text("p", "notes.yaml")).toBe("mine");
  });

  test.skipIf(!existsSync("/sys"))("leaves nothing behind when a file cannot be written", async () => {
    // A folder in which no user can make a folder, not even root.
    symlinkSync("/sys", join(folder, ".github"));
    const { status, err } = await init();
    expect(status).toBe(3);
    expect(err).toMatch(/^pipewright: .+workflows.+: cannot be written: \w.+\n$/);
    expect(readdirSync(folder)).toEqual([".github"]);
  });

  test.each([
    [["init", "p", "--template", "webhok"], "unknown template 'webhok'; did you mean 'webhook'?\nTemplates:\n  http-sqlite "],
    [["init", "p", "--template", "../project"], "unknown template '../project'\nTemplates:\n  http-sqlite "],
    [["init", "p", "--template", "constructor"], "unknown template 'constructor'\nTemplates:\n"],
    [["init", "file"], "file is a file; name a folder\n"],
  ])("%j is wrong usage", async (args, said) => {
    writeFileSync(join(folder, "file"), "");
    expect(await run(folder, ...args)).toEqual({ status: 3, out: "", err: expect.stringContaining(`pipewright: ${said}`) });
    expect(filesIn(folder)).toEqual(["file"]);
  });

  /** Packs nothing, and asks a registry that has `integrity` under every name. */
  const npm = (integrity?: string): Npm => ({
    pack: async () => ({ filename: "pipewright-1.2.3.tgz", integrity: "sha512-ours" }),
    published: async () => integrity,
  });

  test.each([
    ["https://registry.example/pipewright/-/pipewright-1.2.3.tgz", "1.2.3", undefined],
    ["git+ssh://git@git.example/pipewright.git#0123456", "git+ssh://git@git.example/pipewright.git#0123456", undefined],
    ["file:vendor/pipewright-1.2.3.tgz", "file:vendor/pipewright-1.2.3.tgz", "vendor/pipewright-1.2.3.tgz"],
    [undefined, "file:vendor/pipewright-1.2.3.tgz", "vendor/pipewright-1.2.3.tgz"],
  ])("npm had it from %s: the project depends on %s", async (resolved, expected, path) => {
    const own = { name: "pipewright", version: "1.2.3", folder: join(folder, "node_modules", "pipewright") };
    mkdirSync(own.folder, { recursive: true });
    const record = { packages: { "node_modules/pipewright": { version: "1.2.3", resolved } } };
    writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify(record));
    using source = await sourceFor(join(folder, "p"), own, npm());
    expect([source.dependency, source.archive?.path]).toEqual([expected, path]);
    // Another package may have the same name: an equal version proves nothing, equal bytes do.
    using foreign = await sourceFor(join(folder, "p"), own, npm("sha512-theirs"));
    expect(foreign.dependency).toBe(expected);
    using published = await sourceFor(join(folder, "p"), own, npm("sha512-ours"));
    expect(published.dependency).toBe(path === undefined ? expected : "1.2.3");
  });

  test("a checkout packs itself into the project, unless that is inside of it", async () => {
    const own = { name: "pipewright", version: "1.2.3", folder: join(folder, "pipewright") };
    using outside = await sourceFor(join(folder, "p", "q"), own, npm("sha512-ours"));
    expect([outside.dependency, outside.archive?.path]).toEqual(["file:vendor/pipewright-1.2.3.tgz", "vendor/pipewright-1.2.3.tgz"]);
    using inside = await sourceFor(join(own.folder, "dist", "notes"), own, npm());
    expect([inside.dependency, inside.archive]).toEqual(["file:../..", undefined]);
  });

  test("shows the templates there are, when none is named", async () => {
    const { out } = await init("p");
    for (const name of Object.keys(templates)) expect(out).toContain(`  ${name} `);
    expect((await init("q", "--template", "plain")).out).not.toContain("Other projects");
  });

  test("the schemas, the guides and every file of the starter are in the published package", () => {
    const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: fileURLToPath(root),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [only]: [{ files: { path: string }[] }] = JSON.parse(output.toString());
    const packed = only.files.map(({ path }) => path);
    expect(packed).toEqual(expect.arrayContaining(["generated/schema.json", "generated/module.schema.json"]));
    // The links of the README lead to these, or to pictures, which are on the web alone.
    const linked = [...readFileSync(new URL("README.md", root), "utf8").matchAll(/\]\(([^)#:]+)/g)].map(([, path = ""]) => path);
    expect(linked.length).toBeGreaterThan(5);
    expect(packed).toEqual(expect.arrayContaining(linked.filter((path) => !path.startsWith("docs/images/"))));
    const ofStarter = ["project", "http-sqlite"].flatMap((name) => packed.filter((path) => path.startsWith(`templates/${name}/`)));
    expect(
      ofStarter.map((path) => path.replace(/^templates\/[^/]+\/(?:(?=gitignore$))?/, "").replace(/^gitignore$/, ".gitignore")).sort(),
    ).toEqual(starter);
  });
});

describe("the starter", () => {
  beforeEach(async () => {
    await init();
  });

  test("has nothing to report and generates what it then finds up to date", async () => {
    expect(await run(folder, "check", ".", "--strict")).toEqual({ status: 0, out: "1 config checked, nothing to report\n", err: "" });
    expect(await run(folder, "generate", ".")).toMatchObject({ status: 0, err: "wrote generated/notes.ts\n" });
    expect(await run(folder, "generate", ".", "--check")).toMatchObject({ status: 0, out: "" });
  });

  test("names the schema where the package has it", () => {
    const path = "node_modules/pipewright/generated/schema.json";
    expect(text("notes.yaml").split("\n", 1)).toEqual([`# yaml-language-server: $schema=./${path}`]);
    const modules = "./node_modules/pipewright/generated/module.schema.json";
    expect(JSON.parse(text(".vscode", "settings.json"))).toEqual({
      "debug.allowBreakpointsEverywhere": true,
      "yaml.schemas": {
        [`./${path}`]: expect.arrayContaining(["!**/modules/**", "!*.test.yaml"]),
        [modules]: expect.any(Array),
        "./node_modules/pipewright/generated/test.schema.json": ["*.test.yaml", "*.test.yml"],
      },
    });
    expect(JSON.parse(readFileSync(new URL("generated/schema.json", root), "utf8"))).toMatchObject({ required: expect.any(Array) });
  });

  test("keeps notes: writes, lists, reads, removes", async () => {
    const planned = planTexts([{ file: "notes.yaml", text: text("notes.yaml") }]);
    const { serve, configs } = await load(await printAll(planned), { root: folder });
    const variables = { DATABASE_URL: `sqlite:${join(folder, "notes.db")}`, PAGE_SIZE: 2 };
    const { url, close } = await serve(configs, { port: 0, address: "127.0.0.1", variables, log: () => undefined, noticeMs: 0 });
    const headers = { "content-type": "application/json" };
    const call = async (method: string, path: string, body?: object): Promise<readonly unknown[]> => {
      const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      const got = await answer.text();
      return [
        answer.status,
        got === "" ? got : JSON.parse(got),
        ...(answer.headers.has("location") ? [answer.headers.get("location")] : []),
      ];
    };
    try {
      expect(await call("GET", "/notes")).toEqual([200, { notes: [] }]);
      for (const [i, title] of ["one", "two", "three"].entries())
        expect(await call("POST", "/notes", { title })).toMatchObject([201, { title, text: "" }, `/notes/${i + 1}`]);
      expect(await call("GET", "/notes")).toMatchObject([200, { notes: [{ id: 3 }, { id: 2 }] }]);
      expect(await call("GET", "/notes?limit=1")).toMatchObject([200, { notes: [{ id: 3 }] }]);
      const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);
      expect(await call("GET", "/notes/1")).toEqual([200, { id: 1, title: "one", text: "", created_at }]);
      expect(await call("DELETE", "/notes/1")).toEqual([204, ""]);
      for (const method of ["GET", "DELETE"]) expect(await call(method, "/notes/1")).toMatchObject([404, {}]);
      const needs = { data: { Body: { errors: ["a note needs a title of 1 to 120 characters"] } } };
      for (const title of ["", "x".repeat(121)]) expect(await call("POST", "/notes", { title })).toMatchObject([422, needs]);
      const refused = { data: {}, errors: [{ pointer: "/title", message: "must be string" }] };
      for (const title of [null, 5, 500, ["a", "b"], {}]) expect(await call("POST", "/notes", { title })).toEqual([422, refused]);
      expect(await call("POST", "/notes", { text: "Bread" })).toMatchObject([422, { errors: [{ pointer: "" }] }]);
      for (const limit of ["0", "100", "x", ""]) expect(await call("GET", `/notes?limit=${limit}`)).toMatchObject([422, {}]);
    } finally {
      await close();
    }
  });
});
