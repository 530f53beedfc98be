import { readdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import { PathError } from "../1-read/path-error.ts";
import { sourceOfModule } from "../6-print/header.ts";

/** A file as `generate` would write it; the path is relative to the folder of the modules, with forward slashes. */
export interface GeneratedFile {
  readonly name: string;
  readonly code: string;
}

/** The folder of the modules, and the requested configurations. */
interface GenerateRequest {
  readonly cwd: string;
  /** Files and folders of the command line. */
  readonly paths: readonly string[];
  /** Folder of the modules. */
  readonly out: string;
}

/**
 * Modules in the folder without a configuration, as sorted paths in that folder. Their first line names a configuration that is one of the
 * given paths or lies below one, and that is missing or makes a module with another name. Modules of other configurations stay, since
 * several commands may write into one folder.
 */
export function abandoned({ cwd, paths, out }: GenerateRequest, fresh: readonly GeneratedFile[]): readonly string[] {
  const folder = resolve(cwd, out);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) throw new PathError(out, "it is a file; name a folder with --out");
  const names = new Set(fresh.map(({ name }) => name));
  const roots = paths.map((path) => resolve(cwd, path));
  const isAsked = (source: string): boolean =>
    roots.some((path) => source === path || source.startsWith(path.endsWith(sep) ? path : path + sep));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((name) => {
      if (names.has(name)) return false;
      const source = sourceOfModule(readFileSync(join(folder, name), "utf8"));
      return source !== undefined && isAsked(resolve(cwd, source));
    })
    .sort();
}

/** Removes a module, and its parent folders that become empty, up to the folder of all modules. */
export function removeModule(path: string, folder: string): void {
  rmSync(path);
  for (let parent = dirname(path); parent !== folder && readdirSync(parent).length === 0; parent = dirname(parent)) rmdirSync(parent);
}

/** The current text of a file; undefined for a missing file. */
export const textOf = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "utf8") : undefined;

/** The change of a file as a unified diff with three lines of context, for `patch` and reviewers. Undefined stands for a missing file. */
export function unifiedDiff(file: string, old: string | undefined, fresh: string | undefined): string {
  const [before, after] = [old === undefined ? "/dev/null" : file, fresh === undefined ? "/dev/null" : `${file} (generated now)`];
  return formatPatch(structuredPatch(before, after, old ?? "", fresh ?? "", undefined, undefined, { context: 3 }), FILE_HEADERS_ONLY);
}
