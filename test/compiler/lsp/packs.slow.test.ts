import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Diagnostic } from "vscode-languageserver-protocol/node";
import { findConfigs, findModules } from "../../../compiler/1-read/files.ts";
import { Editor } from "../../harness/editor.ts";
import { fixturesOf, root } from "../../harness/folders.ts";
import { draws } from "../../harness/rules/words.ts";
import { run } from "../../harness/terminal.ts";
import { until } from "../../harness/until.ts";
import { packFolder, packNames } from "../../packs/packs.ts";

// Every pack and the fixtures of diagnostics in an editor: its diagnostics are those of `check`, and no edit brings the server down,
// whether text is typed, cut or taken back.

const packs = packNames().flatMap((name) => packFolder(name)?.replace(/\/$/, "") ?? []);
const fixtures = fixturesOf("diagnostics").map((name) => fileURLToPath(new URL(`test/fixtures/diagnostics/${name}`, root)));
const folders = [...packs, ...fixtures];
let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open(folders);
});

afterAll(() => editor[Symbol.asyncDispose]());

interface Reported {
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: string;
  readonly message: string;
  readonly hint?: string;
}

const severities = ["", "error", "warning", "note"];

const asReported = (folder: string, path: string, { range, code, severity, message }: Diagnostic): string =>
  JSON.stringify([
    path.slice(folder.length + 1),
    range.start.line + 1,
    range.start.character + 1,
    range.end.line + 1,
    range.end.character + 1,
    code,
    severity === undefined ? "" : severities[severity],
    message,
  ]);

const said = ({ file, line, column, endLine, endColumn, code, severity, message, hint }: Reported): string =>
  JSON.stringify([file, line, column, endLine, endColumn, code, severity, hint === undefined ? message : `${message}\n${hint}`]);

test("diagnostics of every folder are those of check", async () => {
  expect(fixtures.length).toBeGreaterThan(100);
  for (const folder of folders) {
    const { out, err } = await run(folder, "check", ".", "--format", "json");
    const expected = out === "" ? [] : (JSON.parse(out).diagnostics as readonly Reported[]).map(said);
    await until(() => {
      const own = [...editor.diagnostics].filter(([uri]) => uri.startsWith(`${pathToFileURL(folder).href}/`));
      const found = own.flatMap(([uri, { list }]) => list.map((one) => asReported(folder, fileURLToPath(uri), one)));
      expect(found.toSorted(), `${folder} ${err}`).toEqual(expected.toSorted());
    });
  }
});

const requests = [
  ["textDocument/completion", {}],
  ["textDocument/hover", {}],
  ["textDocument/definition", {}],
  ["textDocument/references", { context: { includeDeclaration: true } }],
  ["textDocument/prepareRename", {}],
  ["textDocument/documentSymbol", {}],
  ["textDocument/codeLens", {}],
  ["textDocument/semanticTokens/full", {}],
] as const;

/** Pieces of the language, of YAML and of Unicode, to be typed anywhere. */
const pieces = fc.constantFrom(
  ...[
    "a|",
    "|",
    "::",
    "->",
    "a|body::",
    "- ",
    ": ",
    "\n",
    "\r\n",
    "\t",
    "{",
    "[",
    "}",
    "]",
    '"',
    "'",
    "|\n",
    ">-\n",
    "&a ",
    "*a",
    "<<: *a\n",
    "#",
    "---\n",
  ],
  ...[
    "😀",
    "\u2028",
    "\ud800",
    "\u0000",
    "name: x\n",
    "interfaces:\n",
    "actions:\n  - name: A\n",
    "input: a|previous|",
    "default(",
    "%YAML 1.1\n",
    "? ",
    "!!str ",
  ],
);

interface Edit {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

const edits = fc.record<Edit>({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 }), fc.constant(1_000_000)),
  text: fc.oneof(
    fc.constant(""),
    pieces,
    fc.array(pieces, { maxLength: 5 }).map((all) => all.join("")),
  ),
});

test("random edits of every file: every request is answered, and the file is as it was afterwards", async () => {
  const files = folders.flatMap((folder) => [...findConfigs(["."], folder), ...findModules(["."], folder)].map(({ path }) => path));
  expect(files.length).toBeGreaterThan(100);
  const file = fc.constantFrom(...files);
  const property = fc.asyncProperty(
    file,
    fc.array(edits, { minLength: 1, maxLength: 6 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.boolean(),
    async (path, changes, place, takesBack) => {
      const whole = readFileSync(path, "utf8");
      let text = whole;
      const uri = await editor.show(path, text);
      for (const { at, length, text: piece } of changes) {
        const start = Math.floor(at * text.length);
        text = text.slice(0, start) + piece + text.slice(start + length);
        await editor.write(uri, text);
        const before = text.slice(0, Math.floor(place * text.length)).split(/\r\n|[\r\n]/);
        const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
        const answers = requests.map(([method, more]) => editor.ask(method, { textDocument: { uri }, position, ...more }));
        if (takesBack) void editor.connection.sendNotification("$/cancelRequest", { id: 0 });
        await Promise.all(answers);
      }
      await editor.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
      expect(editor.process.exitCode).toBe(null);
    },
  );
  await fc.assert(property, { numRuns: draws(400) });
  const complaints = editor.log.filter((line) => /nothing is (?:known|printed)|the analysis|at .*\.ts:/.test(line));
  expect(complaints).toEqual([]);
});

test("the memory of the server is bounded", () => {
  const pid = editor.process.pid ?? 0;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  console.log(`the server has ${megabytes.toFixed(0)} MB after ${folders.length} folders`);
  expect(megabytes).toBeLessThan(1500);
});

test("a file of the editor that is none of ours has nothing", async () => {
  const folder = folders[0] ?? "";
  const uri = await editor.show(join(folder, "compose.txt"), "services:\n  a: {}\n");
  const textDocument = { uri };
  expect(await editor.ask("textDocument/hover", { textDocument, position: { line: 0, character: 2 } })).toBe(null);
  expect(await editor.ask("textDocument/completion", { textDocument, position: { line: 1, character: 2 } })).toEqual([]);
  expect(basename(uri)).toBe("compose.txt");
});
