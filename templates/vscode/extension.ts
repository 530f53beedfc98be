import { existsSync } from "node:fs";
import { join } from "node:path";
import { commands, type DebugConfiguration, debug, type ExtensionContext, type WorkspaceFolder, window, workspace } from "vscode";
import { LanguageClient, type ServerOptions } from "vscode-languageclient/node";
import { attachment, devArguments, starts } from "./debugging.mts";
import { lineOf } from "./terminal-line.mts";

let client: LanguageClient | undefined;

/** Starts the language server for YAML files of the workspace. It leaves alone those that are no configurations. */
export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("pipewright.restart", () => client?.restart()),
    commands.registerCommand("pipewright.run", (folder: string, path: string, name: string) => type(folder, ["run", name, path], false)),
    commands.registerCommand("pipewright.test", (folder: string, path: string, name: string) =>
      type(folder, ["test", path, "--filter", name], true),
    ),
    commands.registerCommand("pipewright.dev", serveAndDebug),
    debug.registerDebugConfigurationProvider("pipewright", { resolveDebugConfiguration: resolved }),
  );
  client = new LanguageClient("pipewright", "pipewright", server(), {
    documentSelector: [{ scheme: "file", language: "yaml" }],
    // Lenses run their commands in a terminal of the editor.
    initializationOptions: { ownCommands: true },
  });
  await client.start();
}

export const deactivate = (): Promise<void> | undefined => client?.stop();

/** The pipewright command: that of the setting, else of the project, else of the machine. */
function commandIn(folder: string | undefined): readonly string[] {
  const own = workspace.getConfiguration("pipewright").get<string[]>("command", []);
  if (own.length > 0) return own;
  const installed = folder === undefined ? "" : join(folder, "node_modules", "pipewright", "bin", "pipewright.mjs");
  return existsSync(installed) ? ["node", installed] : ["pipewright"];
}

function server(): ServerOptions {
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const [command = "pipewright", ...args] = commandIn(folder);
  return { command, args: [...args, "lsp"], options: folder === undefined ? {} : { cwd: folder } };
}

/** Writes a command into a terminal. A run has effects, so that the user has to press Enter. */
function type(folder: string, args: readonly string[], runs: boolean): void {
  const line = lineOf([...commandIn(folder), ...args], process.platform);
  if (line === undefined) {
    void window.showErrorMessage("pipewright: a name has characters that a shell could take for a command");
    return;
  }
  const terminal = window.createTerminal({ name: "pipewright", cwd: folder });
  terminal.show();
  terminal.sendText(line, runs);
}

/**
 * Turns a launch configuration of ours into one for the debugger of Node, and starts the process in a terminal unless it is running
 * already. F5 without a `launch.json` passes an empty configuration.
 */
function resolved(folder: WorkspaceFolder | undefined, configuration: DebugConfiguration): DebugConfiguration | undefined {
  if (folder === undefined) {
    void window.showErrorMessage("pipewright: open the folder of a project first");
    return undefined;
  }
  if (starts(configuration)) type(folder.uri.fsPath, devArguments(configuration), true);
  return attachment(configuration);
}

/** Serves the project and debugs it, as F5 does without a `launch.json`. */
async function serveAndDebug(): Promise<void> {
  const [folder] = workspace.workspaceFolders ?? [];
  const configuration = resolved(folder, { type: "pipewright", name: "pipewright dev", request: "launch" });
  if (configuration !== undefined) await debug.startDebugging(folder, configuration);
}
