import { accessSync, constants, type Stats, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { privateDatabase } from "../files/private-sqlite.ts";
import { codeOf, messageOf } from "../value/thrown.ts";
import { Unusable } from "../value/unusable.ts";
import { Outage } from "./outage.ts";
import { refuseNewer, sqliteSteps } from "./schema.ts";
import { damaged, isBusy, isFull, isOpening } from "./sqlite-errors.ts";

/** The bytes of a page, which are the default of SQLite. */
const pageBytes = 4_096;

/** Pages for rows, beyond those of the empty tables, that a database in memory has whatever its bound is. */
const leastPages = 16;

/** Files up to this size are checked when they are opened, which takes a fifth of a second at most. */
const checkedBytes = 64 * 1_048_576;

/** Bytes that SQLite needs on a disk before the first write: the index of its journal, and the journal's first pages. */
const leastRoom = 65_536;

/** How a file is opened: milliseconds to wait for other processes, and the most bytes of a database in memory. */
export interface Opening {
  readonly waitMs: number;
  readonly mostBytes: number;
}

/**
 * Opens a file and brings its tables to the version of this pipewright. The journal is a WAL, and every commit is synchronised. Throws an
 * `Outage` when the disk is full or another process has the lock, which may pass, and `Unusable` when the operator has to act.
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

/** Explains why a file cannot be opened. Any other error stays as it is. */
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

/** The obstacle that an operator has to remove before the file can be opened; undefined when none is found. */
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
    // The parent folder is not accessible, or is no folder.
    return undefined;
  }
}

/** The error code with which the system refuses writes of this process; undefined when it allows them. */
function refusalOf(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return String(codeOf(error) ?? error);
  }
}

/** True when the disk has bytes and files left. A file system without a bound of files reports 0 files in all. */
function hasRoom(path: string): boolean {
  const { bsize, bavail, files, ffree } = statfsSync(statsOf(path) === undefined ? dirname(path) : path);
  return bavail * bsize >= leastRoom && (files === 0 || ffree > 0);
}

function check(database: DatabaseSync, path: string): void {
  const verdict = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (verdict !== "ok") throw damaged(new Error(String(verdict).split("\n").at(-1)), path, true);
}

/** Bounds a database in memory, whose empty tables take pages, too. */
function bound(database: DatabaseSync, mostBytes: number): void {
  const empty = Number(database.prepare("PRAGMA page_count").get()?.page_count);
  database.exec(`PRAGMA max_page_count = ${empty + Math.max(leastPages, Math.floor(mostBytes / pageBytes) - empty)}`);
}

/**
 * Brings the tables to the version of this pipewright; another process that opens the file at the same time waits. Tables of this version
 * are not locked, since processes that write all the time could keep the lock from this one.
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
