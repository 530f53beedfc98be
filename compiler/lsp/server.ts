import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type CancellationToken,
  type Connection,
  createConnection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  ProposedFeatures,
  ResponseError,
  TextDocumentContentRequest,
} from "vscode-languageserver/node";
import { ownPackage } from "../7-link/root.ts";
import { analyst } from "./analysis/analyst.ts";
import { capabilities } from "./capabilities.ts";
import { codeActions } from "./code-actions.ts";
import { executeCommand } from "./commands.ts";
import { completion } from "./completion/index.ts";
import { hover } from "./hover/index.ts";
import { codeLenses } from "./lenses.ts";
import { definition, prepareRename, references, rename } from "./names/requests.ts";
import { pageOfCode } from "./pages.ts";
import { pathOf } from "./paths.ts";
import { Publisher } from "./publish.ts";
import { Session } from "./session.ts";
import { settingsOf } from "./settings.ts";
import { documentSymbols, workspaceSymbols } from "./symbols.ts";
import { semanticTokens } from "./tokens.ts";

/** Serves one editor over these streams. The process ends when the editor sends `exit` or closes the streams. */
export function serveEditor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): void {
  const connection = createConnection(ProposedFeatures.all, input, output);
  const session = new Session(connection);
  const looks = analyst();
  const publisher = new Publisher(session, looks);
  connection.onInitialize((params) => begin(session, params));
  connection.onInitialized(() => void ready(session, publisher));
  connection.onShutdown(() => {
    session.life = "over";
    publisher.close();
    return looks.close();
  });
  followFiles(session, publisher);
  answerRequests(connection, session);
  session.buffers.listen(connection);
  connection.listen();
}

function begin(session: Session, params: InitializeParams): InitializeResult {
  const { workspace } = params.capabilities;
  session.life = "open";
  session.folders = foldersOf(params);
  session.client = {
    showsPages: workspace?.textDocumentContent !== undefined,
    ownCommands: params.initializationOptions?.ownCommands === true,
    watchesFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    refreshesLenses: workspace?.codeLens?.refreshSupport === true,
    hasFolders: workspace?.workspaceFolders === true,
    hasSettings: workspace?.configuration === true,
  };
  session.settings = settingsOf(params.initializationOptions);
  const { version } = ownPackage();
  return { capabilities: capabilities(session.client), serverInfo: { name: "pipewright", version } };
}

/** The folders of the client. Older clients name one root instead, as an address or as a path. */
function foldersOf({ workspaceFolders, ...older }: InitializeParams): readonly string[] {
  if (workspaceFolders !== null && workspaceFolders !== undefined) return workspaceFolders.flatMap(({ uri }) => pathOf(uri) ?? []);
  const { rootUri = null, rootPath } = older as { readonly rootUri?: string | null; readonly rootPath?: string | null };
  const root = rootUri === null ? (rootPath ?? undefined) : pathOf(rootUri);
  return root === undefined ? [] : [root];
}

async function ready(session: Session, publisher: Publisher): Promise<void> {
  const { connection, client } = session;
  if (client.watchesFiles) {
    const watchers = ["**/*.{yaml,yml,json}"].map((globPattern) => ({ globPattern }));
    await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  }
  if (client.hasSettings) {
    await connection.client.register(DidChangeConfigurationNotification.type, { section: "pipewright" });
    session.settings = settingsOf(await connection.workspace.getConfiguration("pipewright"));
  }
  if (client.hasFolders) {
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      const gone = new Set(removed.flatMap(({ uri }) => pathOf(uri) ?? []));
      session.folders = [...session.folders.filter((folder) => !gone.has(folder)), ...added.flatMap(({ uri }) => pathOf(uri) ?? [])];
      publisher.changedAll();
    });
  }
  publisher.changedAll();
}

/** Analyses projects again when a buffer, a file of the disk or a setting has changed. */
function followFiles(session: Session, publisher: Publisher): void {
  const { connection, buffers } = session;
  const changed = (uri: string): void => {
    const path = pathOf(uri);
    if (path !== undefined) publisher.changed(session.projectOf(path));
  };
  buffers.onDidChangeContent(({ document }) => changed(document.uri));
  buffers.onDidSave(({ document }) => changed(document.uri));
  buffers.onDidClose(({ document }) => {
    changed(document.uri);
    publisher.forgetClosed();
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    if (changes.some(({ uri }) => uri.endsWith("/package.json"))) session.forgetProjects();
    publisher.changedAll();
  });
  connection.onDidChangeConfiguration(async ({ settings }) => {
    const own = session.client.hasSettings ? await connection.workspace.getConfiguration("pipewright") : settings?.pipewright;
    session.settings = settingsOf(own);
    publisher.changedAll();
  });
}

/**
 * Answers requests. A request is answered in the next turn, unless the client has cancelled it by then. Requests before `initialize` and
 * after `shutdown` are refused.
 */
function answerRequests(connection: Connection, session: Session): void {
  const answering =
    <Params, Result>(answer: (session: Session, params: Params) => Result | Promise<Result>) =>
    async (params: Params, token: CancellationToken): Promise<Result | ResponseError> => {
      const refused = refusals[session.life];
      if (refused !== undefined) return new ResponseError(refused.code, refused.reason);
      await nextTurn();
      if (token.isCancellationRequested) return new ResponseError(LSPErrorCodes.RequestCancelled, "the request was taken back");
      return answer(session, params);
    };
  connection.onCodeAction(answering(codeActions));
  connection.onCompletion(answering(completion));
  connection.onHover(answering(hover));
  connection.onDefinition(answering(definition));
  connection.onReferences(answering(references));
  connection.onPrepareRename(answering(prepareRename));
  connection.onRenameRequest(answering(rename));
  connection.onDocumentSymbol(answering(documentSymbols));
  connection.onWorkspaceSymbol(answering(workspaceSymbols));
  connection.onCodeLens(answering(codeLenses));
  connection.languages.semanticTokens.on(answering(semanticTokens));
  connection.onExecuteCommand(answering(executeCommand));
  connection.onRequest(TextDocumentContentRequest.type, answering(pageOfCode));
}

/** The reasons for which requests are refused before and after a session. */
const refusals: Readonly<Record<Session["life"], { readonly code: number; readonly reason: string } | undefined>> = {
  new: { code: ErrorCodes.ServerNotInitialized, reason: "the client has not sent 'initialize' yet" },
  open: undefined,
  over: { code: ErrorCodes.InvalidRequest, reason: "the client has sent 'shutdown'" },
};
