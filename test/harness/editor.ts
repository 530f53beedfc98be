import { type ChildProcess, spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  type Diagnostic,
  type InitializeParams,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { root } from "./folders.ts";
import { until } from "./until.ts";

/** The name and the capabilities with which an editor introduces itself to the server. */
interface Client {
  readonly capabilities?: InitializeParams["capabilities"];
  readonly options?: object;
}

/** An editor with its language server, a process of its own. */
export class Editor implements AsyncDisposable {
  readonly connection: ProtocolConnection;
  readonly process: ChildProcess;
  /** The latest diagnostics of each document, by address. */
  readonly diagnostics = new Map<string, { readonly version: number | undefined; readonly list: readonly Diagnostic[] }>();
  /** Messages of the server to the log of the editor, and its lines on stderr. */
  readonly log: string[] = [];
  #version = 0;

  private constructor(env: Readonly<Record<string, string>>) {
    const command = new URL("bin/pipewright.mjs", root).pathname;
    this.process = spawn(process.execPath, [command, "lsp"], { stdio: "pipe", env: { PATH: process.env.PATH, ...env } });
    const { stdin, stdout, stderr } = this.process;
    if (stdin === null || stdout === null) throw new Error("no pipes");
    stderr?.on("data", (bytes: Buffer) => void this.log.push(bytes.toString()));
    this.connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.connection.onNotification("textDocument/publishDiagnostics", ({ uri, version, diagnostics }) => {
      this.diagnostics.set(uri, { version, list: diagnostics });
    });
    this.connection.onNotification("window/logMessage", ({ message }) => void this.log.push(message));
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.onRequest("workspace/codeLens/refresh", () => null);
    this.connection.listen();
  }

  /** Starts a server for these folders. */
  static async open(
    folders: readonly string[],
    { env = {}, ...client }: Client & { readonly env?: Record<string, string> } = {},
  ): Promise<Editor> {
    const editor = new Editor(env);
    await editor.initialize(folders, client);
    return editor;
  }

  /** Starts a server without sending anything to it. */
  static start(): Editor {
    return new Editor({});
  }

  async initialize(folders: readonly string[], { capabilities = {}, options }: Client = {}): Promise<void> {
    const workspaceFolders = folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder }));
    const params = { processId: process.pid, rootUri: null, capabilities, workspaceFolders, initializationOptions: options };
    await this.connection.sendRequest("initialize", params);
    await this.connection.sendNotification("initialized", {});
  }

  /** Opens a buffer; returns its address. */
  async show(path: string, text: string): Promise<string> {
    const { href: uri } = pathToFileURL(path);
    this.#version += 1;
    await this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "yaml", version: this.#version, text },
    });
    return uri;
  }

  /** Replaces the text of a buffer; returns the new version. */
  async write(uri: string, text: string): Promise<number> {
    this.#version += 1;
    await this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: this.#version },
      contentChanges: [{ text }],
    });
    return this.#version;
  }

  get version(): number {
    return this.#version;
  }

  ask<Result>(method: string, params: object): Promise<Result> {
    return this.connection.sendRequest<Result>(method, params);
  }

  /** Waits for the diagnostics of a buffer in this version, by default the latest. */
  async found(uri: string, version = this.#version): Promise<readonly Diagnostic[]> {
    return until(() => {
      const now = this.diagnostics.get(uri);
      if (now?.version !== version) throw new Error(`no diagnostics of version ${version} of ${uri}; log: ${this.log.join("\n")}`);
      return now.list;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode !== null) return;
    await this.connection.sendRequest("shutdown");
    await this.exit();
  }

  /** Ends a server that was shut down. */
  async exit(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    await this.connection.sendNotification("exit");
    await ended;
    this.connection.dispose();
  }
}
