import { accessSync, constants, type Stats, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { privateDatabase } from "../files/private-sqlite.ts";
import { messageOf } from "../value/thrown.ts";
import { Unusable } from "../value/unusable.ts";
import { Outage } from "./outage.ts";
import { refuseNewer, sqliteSteps } from "./schema.ts";
import { damaged, isBusy, isFull, isOpening } from "./sqlite-errors.ts";

/** Bytes of a page, as SQLite has them without another wish. */
const pageBytes = 4_096;

/** Pages for rows beside those of the empty tables, which a database in memory has whatever its bound is. */
const leastPages = 16;

/** Files up to this size are read through when they are opened, which takes a fifth of a second at most. */
const checkedBytes = 64 * 1_048_576;

/** Bytes that SQLite takes of a disk before it has written anything: the index of its journal, and the first pages of that. */
const leastRoom = 65_536;

/** How a file is opened: milliseconds that this waits for other processes, and the bound of a database that is in memory. */
export interface Opening {
  readonly waitMs: number;
  readonly mostBytes: number;
}

/**
 * Opens a file and brings its tables to the version of this pipewright. The journal is a WAL, and every commit is synchronised. Throws an
 * `Outage` when the disk has no room or another process has the lock, which passes, and `Unusable` when somebody has to act.
 */
export function openSqlite(path: string, { waitMs, mostBytes }: Opening): DatabaseSync {
  let opened: DatabaseSync | undefined;
  try {
    const database = privateDatabase(path, { timeout: waitMs });
    opened = database;
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= checkedBytes) check(database, path);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    migrate(database);
    if (path === ":memory:") bound(database, mostBytes);
    return database;
  } catch (error) {
    opened?.close();
    throw unopened(error, path);
  }
}

/** Explains why a file cannot be opened. An error that has nothing to do with that stays as it is. */
function unopened(error: unknown, path: string): unknown {
  if (isBusy(error)) return new Outage(`the store ${path} is locked by another process`, { cause: error });
  if (!isOpening(error)) return damaged(error, path);
  const obstacle = obstacleOf(path);
  if (obstacle !== undefined) return new Unusable(`the store ${path} cannot be opened: ${obstacle}`, { cause: error });
  if (isFull(error) || !hasRoom(path))
    return new Outage(`the store ${path} cannot be opened: its disk is full, give it room`, { cause: error });
  const reason = messageOf(error);
  const remedy = "see what the system logs of its disk, which must be one of this machine";
  return new Unusable(`the store ${path} cannot be opened (${reason}): ${remedy}`, { cause: error });
}

/** Says what an operator has to mend before the file can be opened; undefined when nothing of that kind is seen. */
function obstacleOf(path: string): string | undefined {
  const folder = dirname(path);
  const [file, above] = [statsOf(path), statsOf(folder)];
  if (file?.isDirectory() === true) return "it is a folder; name a file in it";
  if (above === undefined) return `the folder ${folder} does not exist; make it, or name a file elsewhere`;
  if (!above.isDirectory()) return `${folder} is no folder; name a file in a folder`;
  // SQLite writes its journals beside the file.
  for (const each of file === undefined ? [folder] : [path, folder]) {
    const code = refusalOf(each);
    if (code === "EROFS") return "its file system is read-only; make it writable, or name a file elsewhere";
    if (code !== undefined) return `this user may not write ${each} (${code}); give it to the user of the process`;
  }
  return undefined;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder above may not be looked into, or is no folder.
    return undefined;
  }
}

/** The code with which the system refuses to let this process write there. */
function refusalOf(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

/** True when the disk has bytes and files left. A file system that has no number of files says that it has none in all. */
function hasRoom(path: string): boolean {
  const { bsize, bavail, files, ffree } = statfsSync(statsOf(path) === undefined ? dirname(path) : path);
  return bavail * bsize >= leastRoom && (files === 0 || ffree > 0);
}

function check(database: DatabaseSync, path: string): void {
  const verdict = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (verdict !== "ok") throw damaged(new Error(String(verdict).split("\n").at(-1)), path, true);
}

/** Bounds a database in memory, whose tables take pages before they have rows. */
function bound(database: DatabaseSync, mostBytes: number): void {
  const empty = Number(database.prepare("PRAGMA page_count").get()?.page_count);
  database.exec(`PRAGMA max_page_count = ${empty + Math.max(leastPages, Math.floor(mostBytes / pageBytes) - empty)}`);
}

/**
 * Brings the tables to the version of this pipewright; another process that opens the file at the same time waits. Tables of
 * this version need no lock: processes that write all the time could keep this one from it.
 */
function migrate(database: DatabaseSync): void {
  const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pw_schema'").get() !== undefined;
  if (has && versionOf(database) === sqliteSteps.length) return;
  database.exec(
    "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS pw_schema (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL)",
  );
  try {
    const version = versionOf(database);
    refuseNewer(version, sqliteSteps.length);
    for (const step of sqliteSteps.slice(version)) database.exec(step);
    if (version < sqliteSteps.length) database.exec(`INSERT OR REPLACE INTO pw_schema (one, version) VALUES (1, ${sqliteSteps.length})`);
    database.exec("COMMIT");
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

const versionOf = (database: DatabaseSync): number => Number(database.prepare("SELECT version FROM pw_schema").get()?.version ?? 0);
