import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Request } from "#runtime/run/received.ts";
import type { PrintedModule } from "../../../compiler/6-print/index.ts";
import { type BundleOptions, bundle } from "../../../compiler/7-link/bundle.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { ownPackage } from "../../../compiler/7-link/root.ts";
import { archive, workbookParts } from "../../harness/archive.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { pdf } from "../../harness/pdf.ts";
import { emptyRequest as empty } from "../../harness/run-once.ts";

// A bundle has no files from which it could start a thread: the linker carries their text (compiler/7-link/workers.ts).

const scratch = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const moduleOf = (transform: string): Promise<PrintedModule> =>
  printOne(
    planned(
      `name: one\ninterfaces:\n  run:\n    actions:\n      - name: A\n        input: a|body|\n        post_transforms: [${transform}]\n`,
    ),
  );
const request = { ...empty, body: { p: "x" } };
const hashes = await moduleOf("{ bcrypt: { value: p, cost: 4 } }");
const renames = await moduleOf("{ rename_keys: { p: q } }");
const hashed = /^\{"p":"\$2b\$04\$[./A-Za-z0-9]{53}"\}$/;

/** Runs the only interface and prints the data of its only action. */
const entryFor = (input: Request): string => `
import { configs } from "pipewright:configs";
import { createHost } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Run } from "#runtime/run/run.ts";
const [config] = configs;
const run = new LiveRun(createHost({ env: {} }), config, config.interfaces[0], ${JSON.stringify(input)});
config.interfaces[0].run(run);
run.whenOver(() => console.log(JSON.stringify(run.acts[0].data ?? run.acts[0].error)));
`;
const options: BundleOptions = { environment: "test", format: "cjs", entry: entryFor(request) };

test.each(["cjs", "esm"] as const)("a bundle (%s) starts its threads from text, anywhere", async (format) => {
  const { code } = await bundle([hashes], { ...options, format });
  const file = join(mkdtempSync(join(scratch, "empty-")), format === "cjs" ? "bundle.cjs" : "bundle.mjs");
  writeFileSync(file, code);
  expect(execFileSync(process.execPath, [file], { encoding: "utf8", env: {} }).trim()).toMatch(hashed);
});

test("libraries of documents work as text of a thread, in which there are no modules", async () => {
  const texts = {
    parse_pdf: Buffer.from(pdf([["Hello"]])()),
    parse_xlsx: archive(workbookParts('<row r="1"><c r="A1"><v>7</v></c></row>')),
  };
  const gives = { parse_pdf: "Hello", parse_xlsx: [[7]] };
  for (const name of ["parse_pdf", "parse_xlsx"] as const) {
    const headers = name === "parse_xlsx" ? ", headers: false" : "";
    const module = await moduleOf(`{ ${name}: { value: p, key: out${headers} } }`);
    const asked = { ...request, body: { p: texts[name].toString("base64") } };
    const { code } = await bundle([module], { ...options, entry: entryFor(asked) });
    expect(code).not.toContain("node_modules");
    const file = join(mkdtempSync(join(scratch, "empty-")), "bundle.cjs");
    writeFileSync(file, code);
    const out = JSON.parse(execFileSync(process.execPath, [file], { encoding: "utf8", env: {} }));
    expect(out).toEqual({ p: expect.any(String), out: gives[name] });
  }
});

test("so does a config that is served", async () => {
  const { configs, LiveRun, createHost } = await load([hashes]);
  const [config] = configs;
  const [target] = config?.interfaces ?? [];
  if (config === undefined || target === undefined) throw new Error("the config is missing");
  const host = createHost({ env: {} });
  const run = new LiveRun(host, config, target, request);
  target.run(run);
  await run.finish();
  await host.close();
  expect(JSON.stringify(run.acts[0]?.data)).toMatch(hashed);
});

test("a bundle carries only the threads that its configs need, and its papers name their packages", async () => {
  const [without, wanted] = [await bundle([renames], options), await bundle([hashes], options)];
  expect(wanted.code).toContain("parentPort");
  expect(wanted.packages.map(({ name }) => name)).toContain("bcryptjs");
  expect(without.code).not.toContain("parentPort");
  expect(without.packages.map(({ name }) => name)).not.toContain("bcryptjs");
});

test("a bundle with a thread is the same when pipewright lies elsewhere", async () => {
  const own = ownPackage().folder;
  const copy = join(scratch, "deep", "er", "pipewright");
  for (const part of ["package.json", "runtime", "generated", "compiler"]) cpSync(join(own, part), join(copy, part), { recursive: true });
  symlinkSync(join(own, "node_modules"), join(scratch, "deep", "node_modules"), "dir");
  const script = join(copy, "print.ts");
  writeFileSync(
    script,
    'const { bundle } = await import("./compiler/7-link/bundle.ts");\nprocess.stdout.write((await bundle(...JSON.parse(process.argv[2] ?? ""))).code);\n',
  );
  const there = execFileSync(process.execPath, [script, JSON.stringify([[hashes], options])], { encoding: "utf8", maxBuffer: 1 << 28 });
  const { code } = await bundle([hashes], options);
  expect(there === code).toBe(true);
  expect(code).not.toMatch(/node_modules|file:\/\//);
  expect(code.includes(own)).toBe(false);
});
