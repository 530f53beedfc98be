import { spawn } from "node:child_process";
import { join } from "node:path";
import type { ExecuteCommandParams } from "vscode-languageserver/node";
import { ownPackage } from "../7-link/root.ts";
import { commands } from "./lenses.ts";
import type { Session } from "./session.ts";

/** The most characters of a command's output that are shown. */
const mostShown = 4000;

/**
 * Runs the command of a lens for clients without commands of their own: `run` or `test` of this package, in a separate process. A message
 * tells its end, and its output goes to the log of the editor.
 */
export async function executeCommand(session: Session, { command, arguments: given = [] }: ExecuteCommandParams): Promise<null> {
  const [folder, path, target] = given.map(String);
  if (folder === undefined || path === undefined || target === undefined) return null;
  if (!session.projects.some((project) => project.folder === folder) && !session.folders.includes(folder)) return null;
  const args = command === commands.test ? ["test", path, "--filter", target] : ["run", target, path];
  const { status, output } = await ended(args, folder);
  const { connection } = session;
  connection.console.info(`pipewright ${args.join(" ")}\n${output}`);
  const words = `pipewright ${args.join(" ")}: ${status === 0 ? "done" : `ended with ${status}`}\n${output.slice(-mostShown)}`;
  if (status === 0) connection.window.showInformationMessage(words);
  else connection.window.showErrorMessage(words);
  return null;
}

function ended(args: readonly string[], cwd: string): Promise<{ readonly status: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(ownPackage().folder, "bin", "pipewright.mjs"), ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const add = (bytes: Buffer): void => {
      output = `${output}${bytes.toString()}`.slice(-mostShown * 4);
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", (error) => resolve({ status: 70, output: error.message }));
    child.on("close", (status) => resolve({ status: status ?? 70, output }));
  });
}
