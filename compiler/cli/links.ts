import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { PathError } from "../1-read/path-error.ts";

/** A file that a command compares and writes, in a folder that the caller has named. */
interface Target {
  readonly cwd: string;
  /** The named folder. */
  readonly folder: string;
  /** The file as messages name it. */
  readonly file: string;
  readonly path: string;
}

/**
 * Refuses a file that is a symbolic link, or that a link takes out of the working directory. If the caller has named a folder outside of
 * the working directory, the file may not leave that folder. Otherwise a pull request could add a link, and a build would show or replace
 * any file of its machine.
 */
export function refuseLink({ cwd, folder, file, path }: Target): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new PathError(file, "it is a symbolic link, which is not followed; remove it");
  const root = resolve(cwd, folder);
  const around = isWithin(root, cwd) ? cwd : root;
  const parent = existing(dirname(path));
  if (!isWithin(realpathSync(parent), realpathSync(existing(around))) && statSync(parent).isDirectory())
    throw new PathError(file, "a symbolic link leads out of the working directory; name the real folder");
}

/** The path, or the first folder above it that exists. */
function existing(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
