import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeAction } from "vscode-languageserver-protocol/node";
import { Editor } from "../../harness/editor.ts";
import { run } from "../../harness/terminal.ts";
import { untilTrue } from "../../harness/until.ts";

// Diagnostics while an author types, through the protocol: they are those of `check`, and so are their remedies.

const folder = mkdtempSync(join(tmpdir(), "pipewright-lsp-"));
const path = join(folder, "orders.yaml");
let editor: Editor;

const right = `name: Orders
interfaces:
  orders:
    route: /orders/:id
    actions:
      - name: Body
        input: a|body|
`;

beforeAll(async () => {
  writeFileSync(path, right);
  editor = await Editor.open([folder]);
});

afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test("a buffer that is not saved is looked at, and UTF-16 places are those of check", async () => {
  const wrong = right.replace("input: a|body|", 'json_output: {"😀é": 1, x: a|Boddy|}').replaceAll("\n", "\r\n");
  const uri = await editor.show(path, wrong);
  const [only, ...others] = await editor.found(uri);
  expect(others).toEqual([]);
  const line = wrong.split("\r\n")[6] ?? "";
  const start = { line: 6, character: line.indexOf("a|Boddy|") };
  expect(only).toMatchObject({
    code: "PW301",
    severity: 1,
    source: "pipewright",
    range: { start, end: { line: 6, character: start.character + "a|Boddy|".length } },
  });
  writeFileSync(path, wrong);
  const { out } = await run(folder, "check", ".", "--format", "json");
  expect(JSON.parse(out).diagnostics).toMatchObject([{ code: "PW301", line: 7, column: start.character + 1 }]);
});

test("a fix is offered at its place, and the file is right with it", async () => {
  const wrong = right.replace("route:", "ruote:");
  const uri = pathToFileURL(path).href;
  await editor.write(uri, wrong);
  const [found] = await editor.found(uri);
  const range = found?.range ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", { textDocument: { uri }, range, context: { diagnostics: [] } });
  expect(actions.map(({ title }) => title)).toEqual(["Write route"]);
  expect(actions[0]?.edit?.changes?.[uri]).toEqual([{ range, newText: "route" }]);
  const all = await editor.ask<CodeAction[]>("textDocument/codeAction", {
    ...{ textDocument: { uri }, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } },
    context: { diagnostics: [], only: ["source.fixAll"] },
  });
  expect(all[0]?.edit?.changes?.[uri]).toEqual([{ range, newText: "route" }]);
  // As when a file is saved right after an edit: the places are those of the new text.
  await editor.write(uri, `# a line\n${wrong}`);
  const [moved] = await editor.ask<CodeAction[]>("textDocument/codeAction", {
    ...{ textDocument: { uri }, range, context: { diagnostics: [], only: ["source.fixAll"] } },
  });
  expect(moved?.edit?.changes?.[uri]?.[0]?.range.start).toEqual({ ...range.start, line: range.start.line + 1 });
  await editor.write(uri, right);
  expect(await editor.found(uri)).toEqual([]);
});

test("a warning is silenced by the comment that is offered", async () => {
  const uri = pathToFileURL(path).href;
  const text = `${right.replace("input: a|body|", "json_output: { a: { b: 1 } }")}      - name: Next\n        input: a|Body::a.c|\n`;
  await editor.write(uri, text);
  const [found] = await editor.found(uri);
  expect(found).toMatchObject({ code: "PW277", severity: 2 });
  const actions = await editor.ask<CodeAction[]>("textDocument/codeAction", {
    ...{ textDocument: { uri }, range: found?.range, context: { diagnostics: [] } },
  });
  const ignore = actions.find(({ title }) => title === "Ignore PW277 here");
  const [edit] = ignore?.edit?.changes?.[uri] ?? [];
  const lines = text.split("\n");
  lines.splice(edit?.range.start.line ?? 0, 0, (edit?.newText ?? "").replace("\n", ""));
  await editor.write(uri, lines.join("\n"));
  expect(await editor.found(uri)).toEqual([]);
});

test("files of the folder that nobody has open are looked at, and again when they change on the disk", async () => {
  const other = join(folder, "other.yaml");
  const { href: uri } = pathToFileURL(other);
  writeFileSync(other, right.replace("name: Orders", "name: Other").replace("/orders/:id", "/other").replace("input", "inptu"));
  await editor.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [{ uri, type: 1 }] });
  await untilTrue(() => editor.diagnostics.get(uri)?.list[0]?.code === "PW110");
  rmSync(other);
  await editor.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [{ uri, type: 3 }] });
  await untilTrue(() => editor.diagnostics.get(uri)?.list.length === 0);
});

test("a new file that is not saved is looked at until it is closed", async () => {
  const wrong = right.replace("name: Orders", "name: New").replace("/orders/:id", "/new").replace("route", "rout");
  const uri = await editor.show(join(folder, "new.yaml"), wrong);
  expect((await editor.found(uri)).map(({ code }) => code)).toEqual(["PW110"]);
  await editor.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
  await untilTrue(() => editor.diagnostics.get(uri)?.list.length === 0);
});

test("a new file in a folder that no editor has open is looked at alone", async () => {
  const alone = mkdtempSync(join(tmpdir(), "pipewright-lsp-"));
  const uri = await editor.show(join(alone, "new.yaml"), right.replace("input", "inptu"));
  expect((await editor.found(uri)).map(({ code }) => code)).toEqual(["PW110"]);
  rmSync(alone, { recursive: true });
});

test("a file outside of the folders has no diagnostics once it is closed, and another one beside it keeps its own", async () => {
  const alone = mkdtempSync(join(tmpdir(), "pipewright-lsp-"));
  const wrong = right.replace("input", "inptu");
  for (const name of ["one.yaml", "two.yaml"]) writeFileSync(join(alone, name), wrong);
  const one = await editor.show(join(alone, "one.yaml"), wrong);
  expect(await editor.found(one)).toHaveLength(1);
  const two = await editor.show(join(alone, "two.yaml"), wrong);
  expect(await editor.found(two)).toHaveLength(1);
  expect(editor.diagnostics.get(one)?.list).toHaveLength(1);
  await editor.connection.sendNotification("textDocument/didClose", { textDocument: { uri: one } });
  await untilTrue(() => editor.diagnostics.get(one)?.list.length === 0);
  // The look at the other file comes after that which the closing may ask for.
  await editor.write(two, `${wrong}# a comment\n`);
  expect(await editor.found(two)).toHaveLength(1);
  expect(editor.diagnostics.get(one)?.list).toEqual([]);
  rmSync(alone, { recursive: true });
});

test("a file of a folder that was taken out has no diagnostics once it is closed", async () => {
  const taken = mkdtempSync(join(tmpdir(), "pipewright-lsp-"));
  const file = join(taken, "taken.yaml");
  const wrong = right.replace("input", "inptu");
  writeFileSync(file, wrong);
  await using second = await Editor.open([folder, taken], { capabilities: { workspace: { workspaceFolders: true } } });
  const uri = await second.show(file, wrong);
  expect(await second.found(uri)).toHaveLength(1);
  const gone = { uri: pathToFileURL(taken).href, name: "taken" };
  await second.connection.sendNotification("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: [gone] } });
  await second.write(uri, `${wrong}# a comment\n`);
  expect(await second.found(uri)).toHaveLength(1);
  await second.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
  await untilTrue(() => second.diagnostics.get(uri)?.list.length === 0);
  const other = await second.show(path, wrong);
  expect(await second.found(other)).not.toEqual([]);
  expect(second.diagnostics.get(uri)?.list).toEqual([]);
  rmSync(taken, { recursive: true });
});

test("requests are refused before the server is initialized, and after it was shut down", async () => {
  const hover = { textDocument: { uri: pathToFileURL(path).href }, position: { line: 0, character: 0 } };
  const page = { textDocument: { uri: "pipewright-page:/PW110.md" } };
  const young = Editor.start();
  await expect(young.ask("textDocument/hover", hover)).rejects.toMatchObject({ code: -32002 });
  await expect(young.ask("workspace/textDocumentContent", page)).rejects.toMatchObject({ code: -32002 });
  await young.initialize([folder]);
  expect(await young.ask("textDocument/hover", hover)).not.toBeUndefined();
  await young.connection.sendRequest("shutdown");
  await expect(young.ask("textDocument/hover", hover)).rejects.toMatchObject({ code: -32600 });
  await young.exit();
});
