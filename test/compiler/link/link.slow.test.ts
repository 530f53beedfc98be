import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { afterAll, expect, test, vi } from "vitest";
import { mapStack } from "#runtime/process/stack.ts";
import { bundle } from "../../../compiler/7-link/bundle.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { ownPackage } from "../../../compiler/7-link/root.ts";
import { entry, options, printed } from "./printed-config.ts";

const scratch = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(scratch, { recursive: true, force: true });
});

/** Texts of megabytes: a hash says what matters without printing them. */
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Line and column, both 1-based, of a text in the bundle. */
function placeOf(code: string, wanted: string): { readonly line: number; readonly column: number } {
  const lines = code.split("\n");
  const line = lines.findIndex((text) => text.includes(wanted));
  return { line: line + 1, column: (lines[line]?.indexOf(wanted) ?? -1) + 1 };
}

test("the map leads from a throw in the bundle to its line of the YAML", async () => {
  const { code, map } = await bundle([printed("posts")], options);
  const { line, column } = placeOf(code, 'new Error("boom');
  expect(originalPositionFor(new TraceMap(map), { line, column: column - 1 })).toMatchObject({
    source: "api/posts.yml",
    line: 120,
    column: 10,
  });
  const frame = `Error: boom\n    at Act.<anonymous> (bundle.cjs:${line}:${column})\n    at async fs.js:1:2`;
  expect(mapStack(frame, new SourceMap(JSON.parse(map)))).toBe(
    "Error: boom\n    at Act.<anonymous> (api/posts.yml:120:11)\n    at async fs.js:1:2",
  );
});

test("the map names sources of the project and of the runtime, carries none, and leaves libraries unmapped", async () => {
  const { code, map } = await bundle([printed("posts")], {
    ...options,
    entry: `import fastify from "fastify";\n${entry}export const make = () => fastify();\n`,
  });
  const { sources, sourcesContent } = JSON.parse(map);
  expect(sources).toEqual(expect.arrayContaining(["api/posts.yml", "pipewright/runtime/value/values.ts"]));
  expect(sources.filter((source: string) => /node_modules|@\d|^\/|\.\./.test(source))).toEqual([]);
  expect(sourcesContent).toBeUndefined();
  const { line } = placeOf(code, "function fastify(");
  expect(new SourceMap(JSON.parse(map)).findEntry(line - 1, 4)).not.toHaveProperty("originalSource", expect.any(String));
});

test("the bundle does not depend on the order of the modules", async () => {
  const modules = ["posts", "users", "comments"].map((name) => printed(name));
  const [one, other] = [await bundle(modules, options), await bundle(modules.toReversed(), options)];
  expect(other.code).toBe(one.code);
  expect(other.map).toBe(one.map);
  expect(Object.keys(other.metafile.inputs)).toEqual(Object.keys(one.metafile.inputs));
});

test("the bundle is the same when pipewright lies elsewhere and is called from elsewhere", async () => {
  const own = ownPackage().folder;
  const copy = join(scratch, "deep", "er", "pipewright");
  for (const part of ["package.json", "runtime", "generated", "compiler"]) cpSync(join(own, part), join(copy, part), { recursive: true });
  symlinkSync(join(own, "node_modules"), join(scratch, "deep", "node_modules"), "dir");
  const script = join(copy, "print.ts");
  writeFileSync(
    script,
    `const { bundle } = await import("./compiler/7-link/bundle.ts");
process.stdout.write(JSON.stringify(await bundle(...JSON.parse(process.argv[2] ?? ""))));\n`,
  );
  const asked = [
    [printed("posts")],
    { ...options, entry: `import fastify from "fastify";\n${entry}export const make = () => fastify();\n` },
  ] as const;
  const there = JSON.parse(
    execFileSync(process.execPath, [script, JSON.stringify(asked)], { cwd: scratch, encoding: "utf8", maxBuffer: 1 << 28 }),
  );
  const here = await bundle(...asked);
  expect(hash(there.code)).toBe(hash(here.code));
  expect(hash(there.map)).toBe(hash(here.map));
  expect(Object.keys(there.metafile.inputs)).toEqual(Object.keys(here.metafile.inputs));
  expect(here.code.includes(own)).toBe(false);
});

test("a bundle carries only what its configs name, and no description of a feature", async () => {
  const module = printed("posts", "return rename_keys(cx.body, { a: text(null) });");
  const uses = { ...module, code: `import { rename_keys } from "#runtime/features/transforms/rename_keys.ts";\n${module.code}` };
  const { code, metafile, packages } = await bundle([uses], { environment: "staging", format: "cjs" });
  expect(code).toContain("function rename_keys(");
  expect(code).not.toContain("summary:");
  expect(Object.keys(metafile.inputs).filter((path) => /actions\/|generated|walk\//.test(path))).toEqual([]);
  const names = packages.map(({ name }) => name);
  expect(names).toContain("pino");
  expect(names.filter((name) => /^(?:fastify|thread-stream|pg|undici|esbuild|typescript)$/.test(name))).toEqual([]);
});

test("a package behind a dynamic import is inside, and runs on first use only", async () => {
  const lazy = 'return text((await import("pg")).default.defaults.port ?? null);';
  const { code, packages } = await bundle([{ ...printed("posts", lazy) }], options);
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(["pg", "pg-pool", "pg-types"]));
  expect(code).toContain("Promise.resolve().then(() => ");
  expect(code).not.toMatch(/^var \w+ = require_lib\(\)/m);
});

test.each([
  ["postgres", "pg"],
  ["mysql", "mysql2"],
  ["mssql", "tedious"],
  ["mongodb", "mongodb"],
])("the driver %s is inside, and needs nothing that is not", async (driver, name) => {
  const opens = `return text((await import("#runtime/features/actions/database/${driver}.ts")).${driver}.name);`;
  const { packages } = await bundle([printed("posts", opens)], options);
  expect(packages.map((each) => each.name)).toContain(name);
});

test("a file that the bundle could not carry stops the link", async () => {
  const addon = join(scratch, "fast.node");
  writeFileSync(addon, "");
  const withAddon = { ...options, entry: `require(${JSON.stringify(addon)});\n${entry}` };
  await expect(bundle([], withAddon)).rejects.toThrow(/cannot carry: .*fast\.node/);
  const needsMore = { ...options, entry: `try { require("not-installed-here"); } catch {}\n${entry}` };
  await expect(bundle([], needsMore)).rejects.toThrow("the bundle would need files that it cannot carry: not-installed-here");
});

test("an ES module bundle runs on a Node of one's own", async () => {
  const { code } = await bundle([printed("posts")], {
    ...options,
    format: "esm",
    entry: `${entry}console.log(JSON.stringify([environment, version, configs.length]));\n`,
  });
  const file = join(scratch, "bundle.mjs");
  writeFileSync(file, code);
  expect(execFileSync(process.execPath, [file], { encoding: "utf8" })).toBe('["staging","1.2.3",1]\n');
});

test("load gives configs and the runtime they use, as one instance, and leaves no file behind", async () => {
  const temporary = join(scratch, "temporary");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  const refusing = printed("posts", 'throw new Failure("status", "upstream said no", { status: 418 });');
  const { configs, LiveRun, createHost, reply } = await load([printed("users"), refusing]);
  expect(configs.map(({ name }) => name)).toEqual(["posts", "users"]);
  const [config] = configs;
  const target = config?.interfaces[0];
  if (config === undefined || target === undefined) throw new Error("no interface");
  const input = { id: "1", trigger: "cli", method: null, path: null, body: null, raw_body: null, params: {}, headers: {}, ip: {} };
  const run = new LiveRun(createHost({ env: {} }), config, target, input);
  target.run(run);
  await run.finish();
  // With a second copy of Failure the action would answer 500, "action failed".
  expect(reply(run)).toMatchObject({ status: 418, body: expect.stringContaining("upstream said no") });
  expect(readdirSync(temporary)).toEqual([]);
});

test("a stack of a loaded config shows the YAML below the project", () => {
  const script = join(scratch, "load.ts");
  const loader = join(ownPackage().folder, "compiler/7-link/load.ts");
  writeFileSync(
    script,
    `const { load } = await import(${JSON.stringify(loader)});
const { configs } = await load([JSON.parse(process.argv[2] ?? "")], { root: "/project" });
configs[0].interfaces[0].run({ body: null, act: (_: string, __: object, attempt: () => Promise<unknown>) => attempt().catch((error) => console.log(error.stack)) });\n`,
  );
  const stack = execFileSync(process.execPath, [script, JSON.stringify(printed("posts"))], { encoding: "utf8" });
  expect(stack).toContain("/project/api/posts.yml:120:11");
});
