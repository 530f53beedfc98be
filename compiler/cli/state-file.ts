import { accessSync, constants, lstatSync } from "node:fs";
import { join } from "node:path";
import { foldersOf } from "./project.ts";

/**
 * The file for the state of a project that names no database; it lies beside the configurations. Undefined when it cannot be created: the
 * folder is read-only, or its path is taken. A link is not followed, since a foreign project could then name any file of this user.
 */
export function stateFile(paths: readonly string[], cwd: string): string | undefined {
  const project = foldersOf(paths, cwd)[0] ?? cwd;
  const folder = join(project, ".pipewright");
  const file = join(folder, "state.db");
  const hasFolder = kindOf(folder);
  if (hasFolder === undefined) return isWritable(project) ? file : undefined;
  if (hasFolder !== "folder" || !isWritable(folder)) return undefined;
  const hasFile = kindOf(file);
  return hasFile === undefined || (hasFile === "file" && isWritable(file)) ? file : undefined;
}

function kindOf(path: string): "file" | "folder" | "other" | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // The process has no right to write here.
    return false;
  }
}

/** The flag for the file with the state of a project; empty with `--ephemeral`, or if the file cannot be created. */
export function ownState(
  paths: readonly string[],
  { ephemeral }: { readonly ephemeral?: boolean },
  cwd: string,
): { readonly stateFile?: string } {
  const file = ephemeral === true ? undefined : stateFile(paths, cwd);
  return file === undefined ? {} : { stateFile: file };
}
