import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InternalError } from "../diagnostics/diagnostic.ts";

/** Name, version and folder of an npm package on disk. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** SPDX expression as declared; absent when the package declares none. */
  readonly licence?: string;
  readonly folder: string;
}

/** Finds the package to which a file belongs. */
export type FindPackage = (file: string) => Package | undefined;

/** The package pipewright, which has `runtime/`, `templates/` and our dependencies, in a checkout and in `node_modules`. */
export function ownPackage(): Package {
  const find = packageFinder();
  let folder = find(fileURLToPath(import.meta.url));
  while (folder !== undefined && folder.name !== "pipewright") folder = find(folder.folder);
  if (folder === undefined) throw new InternalError("the package folder of pipewright was not found");
  return folder;
}

/**
 * Walks up to the nearest package.json with name and version; a package.json without them only sets the module type of its folder. The
 * result for each folder is kept.
 */
export function packageFinder(): FindPackage {
  const packages = new Map<string, Package | undefined>();
  const inFolder = (folder: string): Package | undefined => {
    if (packages.has(folder)) return packages.get(folder);
    const owner = readPackage(folder) ?? (folder === dirname(folder) ? undefined : inFolder(dirname(folder)));
    packages.set(folder, owner);
    return owner;
  };
  return (file) => inFolder(dirname(file));
}

function readPackage(folder: string): Package | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const { name, version, license }: Record<string, unknown> = JSON.parse(readFileSync(file, "utf8"));
  if (typeof name !== "string" || typeof version !== "string") return undefined;
  return { name, version, folder, ...(typeof license === "string" ? { licence: license } : {}) };
}
