import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Opens a file of SQLite that this user alone may read, from its first moment; its journals take their rights from it. One that others can
 * read is closed to them, where it is ours.
 */
export function privateDatabase(path: string, options: { readonly timeout: number }): DatabaseSync {
  if (path !== ":memory:" && !path.startsWith("file:")) {
    create(path);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) closeToOthers(file);
  }
  return new DatabaseSync(path, options);
}

/**
 * Only where there is none: to close a file that SQLite has open here would take its locks away. Its folder is made, too, when that alone
 * is missing.
 */
function create(file: string): void {
  try {
    if (existsSync(dirname(dirname(file))) && !existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // It is there, or SQLite will say why it cannot be.
  }
}

function closeToOthers(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) === 0) return;
  if (process.getuid === undefined || stats.uid === process.getuid()) chmodSync(file, 0o600);
}
