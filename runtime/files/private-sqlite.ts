import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Opens a file of SQLite that only the user of this process may read, from the moment the file exists; the journals of SQLite inherit its
 * permissions. When other users can read a database of this user, their permissions are taken away. A file that is no database keeps its
 * own.
 */
export function privateDatabase(path: string, options: { readonly timeout: number }): DatabaseSync {
  if (path === ":memory:" || path.startsWith("file:")) return new DatabaseSync(path, options);
  create(path);
  const database = new DatabaseSync(path, options);
  try {
    // The path may lead to a file of somebody else, such as /etc/passwd: SQLite reads the file here, and refuses one that is no database.
    database.exec("PRAGMA schema_version");
    for (const file of [path, `${path}-wal`, `${path}-shm`]) closeToOthers(file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Makes the file when it is missing. Its folder is made only when it is called `.pipewright`, the folder for state beside a configuration.
 * Any other folder is the operator's: a misspelt path must fail. This function must not open a file that SQLite has open, since closing it
 * would drop the locks of SQLite.
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
