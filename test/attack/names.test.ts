import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { link } from "../../compiler/7-link/index.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { run } from "../harness/terminal.ts";

// Names of files and folders, and every text of a configuration, are text: whatever they hold, nothing of it is run, and printed code shows
// all of it.

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pipewright-names-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const root = new URL("../..", import.meta.url).pathname;
const canary = join(folder, "CANARY");
const statement = `process.getBuiltinModule("fs").writeFileSync(${JSON.stringify(canary)}, "x");`;

/** Each ends some comment, literal or line, and has a statement behind that. */
const payloads: readonly string[] = [
  ...[
    "\n",
    "\r",
    "\r\n",
    "\u2028",
    "\u2029",
    "\u0085",
    "*/",
    "*/\n",
    "`;",
    '";',
    "';",
    "\\",
    '\\";',
    "\\`;",
    "}}}});",
    "</script>",
    "-->",
    "<!--",
  ].map((end) => `a${end}${statement}//`),
  `\${(() => { ${statement} })()}`,
  `a\u202e\u2066\ufeff\u200b\u0000\u001b[2J\u00ad\u{e0041}b`,
  "\ud800",
  "@__PURE__ #__NO_SIDE_EFFECTS__ */ //# sourceMappingURL=data:,",
  "__proto__",
  "PrintedContract",
  "$&$`$'",
  "-x",
  "--out",
  "%2e%2e%2f%00",
  "a#b?c=d",
  "x".repeat(200),
];

/** Without what a name on disk cannot hold. */
const fileNames = payloads
  .filter((text) => text !== "\ud800" && text !== "\\")
  .map((text, i) => `${text.replaceAll(folder, ".").replaceAll("/", "*").replaceAll("\u0000", "")}${i}`.slice(0, 240));

const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The mistakes in printed code: in its syntax, or a character that a reader does not see. */
function faults(code: string): readonly string[] {
  const { diagnostics = [] } = ts.transpileModule(code, { reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ESNext } });
  const hidden = unseen.exec(code);
  return [...diagnostics.map(({ messageText }) => String(messageText)), ...(hidden === null ? [] : [`hidden at ${hidden.index}`])];
}

describe("names of files and folders", () => {
  const project = join(folder, "project");
  fileNames.forEach((name, i) => {
    mkdirSync(join(project, name), { recursive: true });
    const config = { name: `c${i}`, interfaces: { [`i${i}`]: { method: "GET", actions: [{ name: "A", json_output: { n: i } }] } } };
    writeFileSync(join(project, name, `${name}.yaml`), stringify(config));
  });
  const broken = join(folder, "broken\n\u202e");
  mkdirSync(broken);
  writeFileSync(join(broken, "x\n::error::.yaml"), "name: [");
  afterAll(() => expect(existsSync(canary)).toBe(false));

  test("are shown with escapes", async () => {
    for (const format of ["text", "json", "github", "sarif"]) {
      const { status, out, err } = await run(folder, "check", broken, "--format", format);
      expect([format, status, unseen.test(out + err)]).toEqual([format, 1, false]);
    }
    expect((await run(folder, "check", broken, "--format", "json")).out).toContain(String.raw`broken\n\u202e/x\n::error::.yaml`);
    expect((await run(folder, "check", join(folder, "none\u202e"))).err).toBe(
      `pipewright: ${folder}/none\\u202e: no such file or folder\n`,
    );
    for (const args of [
      ["check", project, "--types"],
      ["routes", project],
      ["routes", project, "--format", "json"],
    ]) {
      const { status, out, err } = await run(folder, ...args);
      expect([args[0], status, unseen.test(out + err)]).toEqual([args[0], 0, false]);
    }
  });

  test("are names of printed modules with escapes, and text in them", async () => {
    const { status, err } = await run(folder, "generate", "project", "--out", "generated");
    expect([status, unseen.test(err)]).toEqual([0, false]);
    const files = readdirSync(join(folder, "generated"), { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(files).toHaveLength(fileNames.length);
    for (const { parentPath, name } of files) {
      expect([name, unseen.test(`${parentPath}/${name}`), name.includes("\n")]).toEqual([name, false, false]);
      expect([name, faults(readFileSync(join(parentPath, name), "utf8"))]).toEqual([name, []]);
    }
  });

  test("are served and run", async () => {
    for (const i of [0, 3, 6]) {
      const { status, out } = await run(folder, "run", `i${i}`, "project", "--force");
      expect([status, JSON.parse(out).data.A.data]).toEqual([0, { n: i }]);
    }
    const child = spawn(process.execPath, [join(root, "bin/pipewright.mjs"), "serve", "project", "--address", "127.0.0.1", "--port", "0"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    for await (const line of createInterface(child.stdout)) {
      const { msg, url } = JSON.parse(line);
      if (msg !== "listening") continue;
      for (const [i] of fileNames.entries())
        expect(await (await fetch(`${url}/i${i}`)).json()).toMatchObject({ data: { A: { data: { n: i } } } });
      child.kill();
    }
    expect(await exited).toBe(0);
  });

  test("are named in a build, whose bundle runs nothing of them", async () => {
    const { status, err } = await run(folder, "build", "project", "--env", "production", "--out", "dist", "--no-executable");
    expect([status, err]).toEqual([0, expect.not.stringMatching("bug")]);
    for (const name of ["manifest.json", "bundle.cjs.map"]) {
      const text = readFileSync(join(folder, "dist", name), "utf8");
      expect([name, unseen.test(text), text.includes("project/")]).toEqual([name, false, true]);
    }
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "dist/bundle.cjs"), "--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});

/** A configuration with a text in one place; the others are ordinary. */
const places: Readonly<Record<string, (text: string) => object>> = {
  "name of the configuration": (text) => config({}, { name: text }),
  "version and description": (text) => config({}, { version: text, description: text }),
  "name of an interface": (text) => ({ name: "t", interfaces: { [text]: { output: "cli", actions: [action] } } }),
  "summary and description of an interface": (text) => config({ summary: text, description: text, tags: [text] }, { docs: true }),
  "name of an action": (text) =>
    config({
      actions: [
        { name: text, input: "x" },
        { name: "B", input: `a|${text}::data|` },
      ],
    }),
  "a literal and a name in it": (text) => config({ actions: [{ name: "A", json_output: { [text]: text, list: [text] } }] }),
  "a text with markers": (text) => config({ actions: [{ name: "A", input: `${text}a|body::x|${text}` }] }),
  "a selector": (text) => config({ actions: [{ name: "A", input: `a|body::${text}|` }] }),
  "a filter argument": (text) => config({ actions: [{ name: "A", input: `a|body::x->default(${JSON.stringify(text)})|` }] }),
  "a transform": (text) =>
    config({
      actions: [
        {
          name: "A",
          input: "a|body|",
          post_transforms: [{ rename_keys: { [text]: text } }, { extract_with_jq: `.[${JSON.stringify(text)}]` }],
        },
      ],
    }),
  "a pattern": (text) => config({ actions: [{ name: "A", input: "a|body|", assert: { tests: [{ value: "x", regex: text }] } }] }),
  "a test": (text) =>
    config({
      actions: [{ name: "A", input: "a|body|", assert: { tests: [{ name: text, value: text, is_equal_to: text }], error_message: text } }],
    }),
  "a query and its database": (text) => ({
    ...config({ actions: [{ name: "A", database: text, query: `SELECT '${text.replaceAll("'", "''")}', a|body::x|` }] }),
    global: { databases: { [text]: { driver: "sqlite", conn_string: ":memory:" } } },
  }),
  "global variables": (text) => ({
    ...config({ actions: [{ name: "A", input: `a|ap_var::${text}|` }] }),
    global: { variables: { [text]: text } },
  }),
  "an http call": (text) =>
    config({ actions: [{ name: "A", http: { url: `http://localhost/${text}`, headers: { [text]: text }, body: text } }] }),
  "a command": (text) => config({ actions: [{ name: "A", command: { run: `echo '${text.replaceAll("'", "")}'`, name: text } }] }),
  "headers and the body of an answer": (text) => config({ response: { headers: { "x-a": text, [text]: "x" }, custom_body: text } }),
  "a contract": (text) =>
    config({
      accepts: {
        schema: {
          type: "object",
          title: text,
          description: text,
          tsType: `any; ${text}`,
          properties: {
            [text]: { description: text, enum: [text], tsEnumNames: [text], default: text },
            a: { const: text, title: text, tsType: `any }\n${statement}\ninterface Q { x: any` },
            b: { $ref: `#/definitions/${text}` },
            c: { type: "array", items: { $ref: text } },
          },
          required: [text],
          definitions: { [text]: { type: "string", description: text } },
        },
      },
    }),
  walked: (text) => config({ disable_fastpath: true, actions: [{ name: "A", json_output: { [text]: `${text}a|body::x|` } }] }),
};

const action = { name: "A", input: "x" };
const config = (target: object, rest: object = {}): object => ({
  name: "t",
  interfaces: { t: { method: "POST", actions: [action], ...target } },
  ...rest,
});

describe.each(Object.entries(places))("%s", (place, made) => {
  test("is text", async () => {
    const texts = payloads.map((text, i) => ({ file: `p${i}.yaml`, text: stringify(made(text), { singleQuote: false }) }));
    const planned = texts.map((text) => planTexts([text])).filter(({ failed }) => !failed);
    expect([place, planned.length]).toEqual([place, expect.toSatisfy((count: number) => count > 0)]);
    const modules = (await Promise.all(planned.map((each) => printAll(each)))).flat();
    for (const { file, code, map } of modules) {
      expect([file, faults(code)]).toEqual([file, []]);
      expect([file, unseen.test(map)]).toEqual([file, false]);
    }
    const plans = planned.flatMap(({ plans }) => plans);
    const out = join(folder, "built");
    await link(modules, {
      environment: "test",
      out,
      targets: [],
      executable: false,
      plans,
      effectOf: () => "pure",
      progress: () => undefined,
    });
    await promisify(execFile)(process.execPath, [join(out, "bundle.cjs"), "--version"]);
    expect(existsSync(canary)).toBe(false);
  });
});
