import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { quietMs } from "../../compiler/lsp/publish.ts";
import { quantile } from "./statistics.ts";
import { syntheticConfigs } from "./synthetic.ts";
import { figure, table } from "./table.ts";

/** Milliseconds that the language server takes for a question about a file that is being typed. */
export interface EditorReport {
  readonly question: string;
  readonly p50: number;
  readonly p99: number;
}

/** Interfaces of the file: with so many it has about 1,000 lines. */
const interfaces = 26;

const diagnostics = `diagnostics, beyond the pause of ${quietMs} ms`;

/** Characters that are typed, after those that warm the server up. */
const typed = 60;
const warm = 20;

/** Types a marker into a file of about 1,000 lines, one character at a time, and asks what editors ask. */
export async function benchEditor(): Promise<{ readonly lines: number; readonly reports: readonly EditorReport[] }> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-bench-"));
  const [{ text = "" } = {}] = syntheticConfigs(interfaces, 1);
  const file = join(folder, "synthetic.yaml");
  writeFileSync(file, text);
  const command = fileURLToPath(new URL("../../bin/pipewright.mjs", import.meta.url));
  const server = spawn(process.execPath, [command, "lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  try {
    connection.onRequest("client/registerCapability", () => null);
    connection.onRequest("workspace/codeLens/refresh", () => null);
    connection.listen();
    const { href: uri } = pathToFileURL(folder);
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      workspaceFolders: [{ uri, name: "bench" }],
    });
    await connection.sendNotification("initialized", {});
    return { lines: text.split("\n").length, reports: await type(connection, pathToFileURL(file).href, text) };
  } finally {
    connection.dispose();
    server.kill();
    await once(server, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function type(connection: ProtocolConnection, uri: string, text: string): Promise<readonly EditorReport[]> {
  const told = new Map<number | undefined, () => void>();
  connection.onNotification("textDocument/publishDiagnostics", ({ uri: of, version }) => {
    if (of === uri) told.get(version)?.();
  });
  const times = new Map<string, number[]>();
  const place = text.indexOf("a|body");
  const line = text.slice(0, place).split("\n").length - 1;
  const column = place - text.lastIndexOf("\n", place) - 1;
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 0, text } });
  for (let version = 1; version <= warm + typed; version++) {
    const measure = async (question: string, work: () => Promise<unknown>): Promise<void> => {
      const began = performance.now();
      await work();
      if (version > warm) times.set(question, [...(times.get(question) ?? []), performance.now() - began]);
    };
    const written = "a|body::some->upper|".slice(0, 3 + (version % 17));
    const changed = `${text.slice(0, place)}${written} ${text.slice(place)}`;
    const position = { line, character: column + written.length };
    const about = { textDocument: { uri }, position };
    const { promise: shown, resolve } = Promise.withResolvers<void>();
    told.set(version, resolve);
    const began = performance.now();
    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text: changed }],
    });
    await measure("completion, just after a key", () => connection.sendRequest("textDocument/completion", about));
    await shown;
    // The server waits for a pause of the writer first, which is no work of its own.
    if (version > warm) times.set(diagnostics, [...(times.get(diagnostics) ?? []), performance.now() - began - quietMs]);
    await measure("hover", () => connection.sendRequest("textDocument/hover", about));
    await measure("definition", () => connection.sendRequest("textDocument/definition", about));
    await measure("highlighting", () => connection.sendRequest("textDocument/semanticTokens/full", { textDocument: { uri } }));
    await measure("outline", () => connection.sendRequest("textDocument/documentSymbol", { textDocument: { uri } }));
    await measure("code lens", () => connection.sendRequest("textDocument/codeLens", { textDocument: { uri } }));
    told.delete(version);
  }
  return [...times].map(([question, all]) => ({ question, p50: quantile(all, 0.5), p99: quantile(all, 0.99) }));
}

export const editorTable = ({ lines, reports }: Awaited<ReturnType<typeof benchEditor>>): string =>
  table(
    [`editor, ${lines} lines`, "p50 ms", "p99 ms", "goal"],
    reports.map(({ question, p50, p99 }) => [question, figure(p50), figure(p99), p50 <= 50 ? "<= 50 ok" : "<= 50 MISSED"]),
  );
