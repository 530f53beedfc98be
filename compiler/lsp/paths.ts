import { basename, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isTestFile } from "../1-read/files.ts";

/** The path of a file that a client names; undefined for a buffer that is no file. */
export function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // Editors also have buffers without a file, and versions from git, whose addresses have other schemes.
    return undefined;
  }
}

export const uriOf = (path: string): string => pathToFileURL(path).href;

export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** The role of a file by its place in a project. The content decides whether a file of role `config` really is a configuration. */
export type PlaceRole = "test" | "module" | "variables" | "config" | "none";

/** Folders in which other tools keep their files. */
const foreign: ReadonlySet<string> = new Set(["node_modules", "generated"]);

export function placeRole(path: string, folder: string): PlaceRole {
  const folders = relative(folder, path).split(sep).slice(0, -1);
  if (!/\.ya?ml$/.test(path) || folders.some((name) => foreign.has(name) || (name.startsWith(".") && name !== ".."))) return "none";
  if (isTestFile(basename(path))) return "test";
  if (folders.includes("modules")) return "module";
  return folders.at(-1) === "vars" ? "variables" : folders.includes("vars") ? "none" : "config";
}
