import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findConfigs, findModules, findTests, skippedFolders } from "../1-read/files.ts";
import { foldersOf } from "../cli/project.ts";
import { isInside, placeRole } from "./paths.ts";

/** A set of files that are checked together, as by `check PATH…` in this folder. */
export interface Project {
  readonly folder: string;
  readonly paths: readonly string[];
}

export const keyOf = ({ folder, paths }: Project): string => JSON.stringify([folder, paths]);

/**
 * The files of a project on the disk: the files that `check` reads, the variables of all environments, and contract tests. Empty if the
 * folder cannot be searched, which the analysis reports.
 */
export function filesOf({ folder, paths }: Project): readonly string[] {
  try {
    const files = [findConfigs, findModules, findTests].flatMap((find) => find(paths, folder).map(({ path }) => path));
    return [...files, ...foldersOf(paths, folder).flatMap((each) => variableFiles(join(each, "vars")))];
  } catch {
    return [];
  }
}

function variableFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.endsWith(".yaml") ? [join(folder, name)] : []));
}

/** The most folders that are searched for projects in one folder of the editor. The bound is for a user who opens the root of a disk. */
const mostFolders = 5000;

/**
 * The projects of the folders of an editor: each folder, and each folder inside it whose package.json depends on pipewright. A folder that
 * only holds such folders is no project itself.
 */
export function projectsIn(folders: readonly string[]): readonly Project[] {
  const all = new Set<string>();
  for (const folder of folders) {
    const inner = packagesIn(folder);
    for (const each of inner.length === 0 ? [folder] : inner) all.add(each);
  }
  return [...all].map((folder) => ({ folder, paths: ["."] }));
}

function packagesIn(folder: string): readonly string[] {
  const packages: string[] = [];
  const open = [folder];
  for (let left = mostFolders; left > 0; left--) {
    const next = open.shift();
    if (next === undefined) break;
    const { folders, isPackage } = look(next);
    if (isPackage) packages.push(next);
    open.push(...folders);
  }
  return packages;
}

function look(folder: string): { readonly folders: readonly string[]; readonly isPackage: boolean } {
  try {
    const items = readdirSync(folder, { withFileTypes: true });
    const inner = items.filter((item) => item.isDirectory() && !item.name.startsWith(".") && !skippedFolders.has(item.name));
    const isPackage = items.some(({ name }) => name === "package.json") && asksForUs(join(folder, "package.json"));
    return { folders: inner.map(({ name }) => join(folder, name)), isPackage };
  } catch {
    // A folder without read permission counts as empty.
    return { folders: [], isPackage: false };
  }
}

function asksForUs(file: string): boolean {
  try {
    // JSON.parse gives JSON; values other than objects have no dependencies.
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, object | undefined>>;
    return [dependencies, devDependencies].some((list) => list !== undefined && list !== null && Object.hasOwn(list, "pipewright"));
  } catch {
    return false;
  }
}

/** The project of a file: the innermost project around it. A configuration outside all projects is a project by itself. */
export function projectOf(path: string, projects: readonly Project[]): Project | undefined {
  const around = projects.filter(({ folder }) => isInside(path, folder)).toSorted((a, b) => b.folder.length - a.folder.length);
  const folder = dirname(path);
  return around[0] ?? (placeRole(path, folder) === "config" && !inModules(folder) ? { folder, paths: [basename(path)] } : undefined);
}

const inModules = (folder: string): boolean => /[\\/](?:modules|vars)(?:[\\/]|$)/.test(folder);
