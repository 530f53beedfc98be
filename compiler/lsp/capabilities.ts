import { CodeActionKind, type ServerCapabilities, TextDocumentSyncKind } from "vscode-languageserver/node";
import { commands } from "./lenses.ts";
import { pageScheme } from "./publish.ts";
import type { ClientFacts } from "./session.ts";
import { legend } from "./tokens.ts";

/** The features of the server, for this client. */
export function capabilities({ showsPages, ownCommands }: ClientFacts): ServerCapabilities {
  return {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.SourceFixAll] },
    completionProvider: { triggerCharacters: ["|", ":", ".", ">", " ", "("] },
    hoverProvider: true,
    definitionProvider: true,
    referencesProvider: true,
    renameProvider: { prepareProvider: true },
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    codeLensProvider: {},
    semanticTokensProvider: { legend, full: true },
    ...(ownCommands ? {} : { executeCommandProvider: { commands: Object.values(commands) } }),
    workspace: {
      workspaceFolders: { supported: true, changeNotifications: true },
      ...(showsPages ? { textDocumentContent: { schemes: [pageScheme] } } : {}),
    },
  };
}
