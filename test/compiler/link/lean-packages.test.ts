import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { leanPackages } from "../../../compiler/7-link/lean-packages.ts";
import { linkedPackage } from "../../../compiler/7-link/linked.ts";
import { type ownFile, readYaml } from "../../../runtime/formats/yaml.ts";
import { parseYaml, root } from "../../harness/folders.ts";

// A bundle has less of its packages than the command, and does the same.

const { folder } = linkedPackage();

const link = (text: string, writesYaml: boolean) =>
  build({
    stdin: { contents: text, resolveDir: folder },
    bundle: true,
    write: false,
    minifySyntax: true,
    metafile: true,
    platform: "node",
    target: "node24",
    format: "esm",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///bundle.mjs");' },
    conditions: [],
    logLevel: "error",
    plugins: [leanPackages(folder, async () => writesYaml)],
  });

/** Modules as a bundle has them: a function that runs them, and the packages that they have left out. */
async function lean<M>(text: string, writesYaml: boolean): Promise<{ readonly module: M; readonly files: readonly string[] }> {
  const { outputFiles, metafile } = await link(text, writesYaml);
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return { module: await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`), files: Object.keys(metafile.inputs) };
}

interface Reader {
  readonly readYaml: typeof readYaml;
  readonly ownFile: typeof ownFile;
}

const reader = await lean<Reader>('export { readYaml, ownFile } from "#runtime/formats/yaml.ts";', false);

/** All YAML that the tests know, whatever it is there for, and texts with what YAML 1.1 and 1.2 read differently. */
function texts(): readonly string[] {
  const fixtures = fileURLToPath(new URL("test/fixtures", root));
  const files = readdirSync(fixtures, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  const cases: readonly { readonly data?: unknown }[] = parseYaml(
    readFileSync(join(fixtures, "transforms/yaml_to_json/cases.yaml"), "utf8"),
  ) as never; // a list of cases
  return [
    ...files.map((name) => readFileSync(join(fixtures, name), "utf8")),
    ...cases.flatMap(({ data }) => (typeof data === "string" ? [data] : [])),
    "%YAML 1.1\n---\na: yes\nb: 0777\nc: 1:20\nd: 2001-12-14\n<<: { e: 1 }\n",
    "%YAML 1.3\n---\na: 1\n",
    "%TAG ! tag:example.com,2000:\n--- !x\na: 1\n",
    "a: &x { b: &y [1, 2] }\nc: *x\nd: *y\ne: *z\n",
    "a: &x [*x]\n",
    ...["binary aGk=", "set { a, b }", "omap [a: 1]", "pairs [a: 1]", "timestamp 2001-12-14", "merge <<", "int x", "float .5"].map(
      (tag) => `!!${tag}`,
    ),
    ...[
      "a: 'b",
      'a: "\\q"',
      "a: [1, 2",
      "a: |9\n  x",
      "\ta: 1",
      "a: b: c",
      "? a\n: b\n? [c]\n: { d }",
      "- a\nb",
      "a: 1\na: 2",
      "--- 1\n--- 2",
    ],
    "# nothing but a comment\n",
    "a: >+\n  x\n\n   y\n\n\nb: |-\n  z  \n",
  ];
}

test("yaml reads the same in a bundle", () => {
  const { module, files } = reader;
  const all = texts();
  expect(all.length).toBeGreaterThan(500);
  const differing = all.filter((text) => {
    const limits = { ...module.ownFile };
    return JSON.stringify(module.readYaml(text, limits)) !== JSON.stringify(readYaml(text, limits));
  });
  expect(differing).toEqual([]);
  expect(all.some((text) => "reason" in readYaml(text, module.ownFile))).toBe(true);
  // These would be a third of the package.
  expect(files.filter((file) => /\/(?:stringifyString|visit|omap)\.js$/.test(file))).toEqual([]);
});

test("a bundle with a console can write yaml", async () => {
  const value = { tests: [{ name: "a: b", text: "x\ny\n", none: null, list: [1, "2", true, { k: [] }], at: "2001-12-14" }] };
  const { module } = await lean<{ readonly stringify: (value: unknown) => string }>('export { stringify } from "yaml";', true);
  expect(parseYaml(module.stringify(value))).toEqual(value);
});

test("the log is the same in a bundle, whatever its records hold", async () => {
  const text = 'export { pino, stdTimeFunctions } from "pino";';
  const { module, files } = await lean<typeof import("pino")>(text, false);
  const own = await import("pino");
  const written = ({ pino }: Pick<typeof own, "pino">): readonly string[] => {
    const lines: string[] = [];
    const form = { base: null, timestamp: false, customLevels: { critical: 60 }, formatters: { level: (level: string) => ({ level }) } };
    const log = pino({ ...form, level: "trace" }, { write: (line) => lines.push(line) });
    log.info({ a: 1, b: { c: [null, "ü\u2028", true] }, d: "x\ny" }, "said %s 100%");
    log.critical({ err: { message: "m", stack: "s" }, msg: "other" }, "");
    log.trace({}, "nothing");
    return lines;
  };
  expect(written(module)).toEqual(written(own));
  expect(written(own)).toHaveLength(3);
  expect(files.filter((file) => /node_modules\/(?:sonic-boom|safe-stable-stringify|on-exit-leak-free)\//.test(file))).toEqual([]);
});

test("the exporter of traces uses nothing of the packages that are not read", async () => {
  const { outputFiles, metafile } = await link('export { tracerTo } from "#runtime/tracing/otlp.ts";', false);
  const carried = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  expect(Object.keys(metafile.inputs)).toContain("lean:@opentelemetry/semantic-conventions");
  expect(carried).toContain("node_modules/@opentelemetry/exporter-trace-otlp-proto/dist/platform/node/OTLPTraceExporter.mjs");
  expect(carried.filter((file) => file.startsWith("lean:"))).toEqual([]);
  expect(outputFiles[0]?.text).not.toContain("left out");
});
