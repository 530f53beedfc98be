import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "#runtime/value/json.ts";

/** Creates the file anew and runs the SQL that makes its tables. */
export function createFile(file: string, setup: string): void {
  for (const part of ["", "-wal", "-shm"]) rmSync(`${file}${part}`, { force: true });
  const db = new DatabaseSync(file);
  db.exec(setup);
  db.close();
}

/** Every table of the file with its rows, in the order they were stored. */
export function tablesOf(file: string): Readonly<Record<string, readonly JsonObject[]>> {
  const db = new DatabaseSync(file, { readOnly: true });
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").all();
  const tables = names.map(({ name }) => [
    String(name),
    // The cast is safe: fixtures store only values that JSON has.
    db.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all() as JsonObject[],
  ]);
  db.close();
  return JSON.parse(JSON.stringify(Object.fromEntries(tables)));
}
