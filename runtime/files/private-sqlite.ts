import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Opens a file of SQLite that this user alone may read, from its first moment; its journals inherit its permissions. A file of this user
 * that others can read is closed to them.
 */
export function privateDatabase(path: string, options: { readonly timeout: number }): DatabaseSync {
  if (path === ":memory:" || path.startsWith("file:")) return new DatabaseSync(path, options);
  create(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) closeToOthers(file);
  const database = new DatabaseSync(path, options);
  // Behind a link that led nowhere, SQLite itself has just made the file.
  closeToOthers(path);
  return database;
}

/**
 * Makes the file when it is missing, and its folder when that is called `.pipewright`, as the folder for state beside a configuration is.
 * Any other folder is the operator's: a path that is misspelt must fail. A file that SQLite has open must not be closed here: that would
 * drop the locks of SQLite.
 */
function create(file: string): void {
  try {
    const folder = dirname(file);
    if (basename(folder) === ".pipewright" && !existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // The file exists, or SQLite will report why it cannot be opened.
  }
}

function closeToOthers(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) === 0) return;
  if (process.getuid === undefined || stats.uid === process.getuid()) chmodSync(file, 0o600);
}
