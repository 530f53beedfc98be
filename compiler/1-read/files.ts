import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { FileRefused, kindOf, readRegularSync } from "#runtime/files/regular-file.ts";
import { codeOf } from "#runtime/value/thrown.ts";
import { yaml } from "../diagnostics/codes/yaml.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { type Decoded, decode, sizeLimit } from "./index.ts";
import { PathError } from "./path-error.ts";
import { refusal } from "./refusal.ts";
import { type Ignores, ignores } from "./settings.ts";

/** A configuration file on disk. */
export interface ConfigFile {
  /** Relative to the working directory, with forward slashes: the name in diagnostics and generated code. */
  readonly file: string;
  readonly path: string;
  /** The given folder, or the folder of a given file: `include` may read only files inside it. */
  readonly root: string;
  /** True for a file that was found in a folder: it may belong to another tool. A file that was named is a configuration. */
  readonly searched: boolean;
}

/**
 * Folders that never hold configurations: modules are spliced into configurations, and the others belong to other tools
 * (spec/language 1.1).
 */
export const skippedFolders: ReadonlySet<string> = new Set(["modules", "node_modules", "vars", "generated"]);

/** True for a file of contract tests beside a configuration. Such a file is no configuration, in any folder. */
export const isTestFile = (name: string): boolean => /\.test\.ya?ml$/.test(name);

/**
 * The configuration files of the given files and folders, each once, in the byte order of their relative paths. Folders are searched with
 * all sub-folders, except for what the project ignores. A linked folder outside the searched one is left out; a configuration that is a
 * link to a file outside is a `PathError`.
 */
export const findConfigs = (paths: readonly string[], cwd: string): readonly ConfigFile[] =>
  unlessRefused(() => findFiles(paths, cwd, (name) => !isTestFile(name)));

/** The files of contract tests of the given files and folders: for a named configuration, the files of tests beside it are given. */
export function findTests(paths: readonly string[], cwd: string): readonly ConfigFile[] {
  const beside = paths.flatMap((argument) => {
    const path = resolve(cwd, argument);
    if (existing(path)?.isDirectory() === true || isTestFile(path)) return [argument];
    return [".yaml", ".yml"].map((end) => path.replace(/\.ya?ml$/, `.test${end}`)).filter((test) => existing(test)?.isFile());
  });
  return unlessRefused(() => findFiles(beside, cwd, isTestFile));
}

/** The files among these that are there. */
export const existingIn = (files: readonly string[]): string[] => unlessRefused(() => files.filter((file) => existing(file) !== undefined));

const missing = "no such file or folder";

function findFiles(paths: readonly string[], cwd: string, isWanted: (name: string) => boolean): readonly ConfigFile[] {
  const configs = new Map<string, ConfigFile>();
  const folders = paths.map((path) => resolve(cwd, path)).filter((path) => existing(path)?.isDirectory() === true);
  const isIgnored = ignores([cwd, ...folders], (file, reason) => {
    throw new PathError(relative(cwd, file), reason);
  });
  for (const argument of paths) {
    const path = resolve(cwd, argument);
    const stats = existing(path);
    if (stats === undefined) throw new PathError(argument, missing);
    const root = stats.isDirectory() ? path : dirname(path);
    const searched = stats.isDirectory();
    if (!searched && !stats.isFile()) throw new PathError(argument, `it is ${kindOf(stats)}; name a file or a folder`);
    const real = unlessGone(() => realpathSync(path));
    if (real === undefined) throw new PathError(argument, missing);
    const files = searched ? search(path, real, new Set(), isIgnored) : [{ path, real }];
    for (const { path: file, real } of files.filter((each) => isWanted(basename(each.path)))) {
      if (!configs.has(real)) configs.set(real, { file: relative(cwd, file).split(sep).join("/"), path: file, root, searched });
    }
  }
  return [...configs.values()].sort((a, b) => Buffer.compare(Buffer.from(a.file), Buffer.from(b.file)));
}

/**
 * The modules of the given files and folders: everything below a folder `modules`, in or below a given folder or beside a given file
 * (spec/language 1.5).
 */
export function findModules(paths: readonly string[], cwd: string): readonly ConfigFile[] {
  const foldersOf = (argument: string): readonly string[] => {
    const path = resolve(cwd, argument);
    return existing(path)?.isDirectory()
      ? moduleFolders(path)
      : [join(dirname(path), "modules")].filter((folder) => existing(folder)?.isDirectory());
  };
  const folders = unlessRefused(() => paths.flatMap(foldersOf));
  return folders.length === 0 ? [] : findConfigs(folders, cwd);
}

function moduleFolders(folder: string): string[] {
  return itemsOf(folder).flatMap((item) => {
    if (!item.isDirectory() || item.name.startsWith(".") || (skippedFolders.has(item.name) && item.name !== "modules")) return [];
    const path = join(folder, item.name);
    return item.name === "modules" ? [path] : moduleFolders(path);
  });
}

/** The text of a file, with its size and encoding checked. A file that is too large is reported and gives undefined. */
export function readText({ file, path }: Pick<ConfigFile, "file" | "path">, report: Report): Decoded | undefined {
  try {
    return decode(readRegularSync(path, sizeLimit), file, report);
  } catch (error) {
    const reason = refusal(error);
    if (reason !== undefined) throw new PathError(file, `cannot be read: ${reason}`);
    if (isGone(error)) throw new PathError(file, missing);
    if (!(error instanceof FileRefused)) throw error;
    if (!error.isTooLarge) throw new PathError(file, error.message);
    report(yaml.tooLarge("file", "5 MiB"), { file, start: 0, end: 0 });
    return undefined;
  }
}

/** The text of a file for a marker, or why there is none (PW145). */
export type Included = { readonly text: string } | { readonly problem: "outside the config directory" | "not readable" };

/** Reads the UTF-8 text of a file beside a configuration: no link and no `..` leads out of its root (spec/language 2.4). */
export function readIncluded({ path, root }: Pick<ConfigFile, "path" | "root">, name: string): Included {
  const outside = { problem: "outside the config directory" } as const;
  const target = resolve(dirname(path), name);
  if (isAbsolute(name) || !`${target}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return outside;
  try {
    if (!isBelow(realpathSync(target), realpathSync(root))) return outside;
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(readRegularSync(target, sizeLimit)) };
  } catch {
    // The file is missing, forbidden, too large, not a regular file or not UTF-8: the message tells the author enough.
    return { problem: "not readable" };
  }
}

/** A file that was found, and where it really is. */
interface Found {
  readonly path: string;
  readonly real: string;
}

function search(folder: string, root: string, visited: Set<string>, isIgnored: Ignores): readonly Found[] {
  const real = unlessGone(() => realpathSync(folder));
  if (real === undefined || visited.has(real)) return [];
  visited.add(real);
  return itemsOf(folder).flatMap((item): readonly Found[] => {
    const { name } = item;
    const path = join(folder, name);
    if (isIgnored(path)) return [];
    const isYaml = [".yml", ".yaml"].includes(extname(name));
    // Asking the system for the real path takes longer than anything else here, so only links are followed.
    if (item.isFile()) return isYaml ? [{ path, real: join(real, name) }] : [];
    const stats = existing(path);
    if (stats?.isDirectory() === true && (skippedFolders.has(name) || name.startsWith("."))) return [];
    const target = stats === undefined ? undefined : unlessGone(() => realpathSync(path));
    if (target === undefined) return [];
    if (stats?.isDirectory()) return isBelow(target, root) ? search(path, root, visited, isIgnored) : [];
    if (!stats?.isFile() || !isYaml) return [];
    if (!isBelow(target, root)) throw new PathError(path, `is a symbolic link that leaves the folder ${basename(root)}`);
    return [{ path, real: target }];
  });
}

const itemsOf = (folder: string): readonly Dirent[] => unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? [];

/** True for a real path that is the folder or lies in it. */
const isBelow = (real: string, root: string): boolean => `${real}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);

/** A folder that may not be read is a mistake of the path: `dev` and tests that watch files go on when it can be read. */
function unlessRefused<V>(find: () => V): V {
  try {
    return find();
  } catch (error) {
    const reason = refusal(error);
    throw reason === undefined ? error : new PathError(String((error as NodeJS.ErrnoException).path), reason);
  }
}

/** Undefined where the file or the folder was removed since it was listed. */
function unlessGone<V>(ask: () => V): V | undefined {
  try {
    return ask();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** A part of the path is missing, or a file has taken the place of a folder. */
const isGone = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(String(codeOf(error)));

/** Undefined for a missing file and for a link that leads nowhere, or to itself. */
function existing(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ELOOP") return undefined;
    throw error;
  }
}
