import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, open, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { kindOf } from "#runtime/files/regular-file.ts";
import { endSignals } from "#runtime/process/end-signals.ts";
import { codeOf } from "#runtime/value/thrown.ts";
import { PathError } from "../1-read/path-error.ts";
import { refusal } from "../1-read/refusal.ts";
import { LinkFailure } from "./failure.ts";

/** Signals that may end the process while a file is half-written, each with its exit status. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Writes a file completely or not at all: readers see the old text or the new one. A file that already has the content is not touched. The
 * result is true if it wrote. It is synchronous, so that no signal handler of ours can run in between. A device or a pipe, such as
 * `/dev/stdout`, is written directly.
 */
export function writeWhole(file: string, content: string): boolean {
  try {
    return writeAtOnce(file, content);
  } catch (error) {
    throw unwritten(file, error);
  }
}

/** The error of a file or folder that the system does not allow to write. */
class Unwritten extends PathError {
  readonly reason: string;
  constructor(path: string, reason: string) {
    super(shownPath(path), `cannot be written: ${reason}`);
    this.reason = reason;
  }
}

/** The refusal of the system with the name of the target, which the original error lacks; any other error unchanged. */
function unwritten(target: string, error: unknown): unknown {
  const reason = error instanceof Unwritten ? error.reason : (refusal(error) ?? (isGone(error) ? "its folder takes no files" : undefined));
  return reason === undefined ? error : new Unwritten(target, reason);
}

/** True for a folder that exists, but cannot hold a file, such as the folders of `/proc`. */
const isGone = (error: unknown): boolean => codeOf(error) === "ENOENT";

/** The path for messages: relative, if it lies below the working directory. */
const shownPath = (file: string): string => {
  const path = relative(process.cwd(), file) || ".";
  return path.startsWith("..") || isAbsolute(path) ? file : path;
};

function writeAtOnce(file: string, content: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) throw new PathError(shownPath(file), `it is ${kindOf(stats)}; name a file`);
  if (stats?.isFile() === false) {
    writeFileSync(file, content);
    return true;
  }
  if (stats !== undefined && readFileSync(file, "utf8") === content) return false;
  makeFolder(dirname(file));
  const temporary = beside(file, "new");
  try {
    writeFileSync(temporary, content, { flag: "wx", flush: true });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return true;
}

/**
 * Makes a folder and the folders above it, one by one. Node's `recursive` never ends in folders that cannot hold others, such as the
 * folders of `/proc`.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process has made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Lets `make` build a file under a temporary name beside its target, then moves it there. Nothing is left when it fails or is interrupted.
 */
export async function through(target: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = beside(target, "new");
  await removing([temporary], async () => {
    await make(temporary);
    await sync(temporary, "r+");
    await rename(temporary, target);
  });
}

/**
 * Fills a folder that appears whole: `fill` writes into a new one, which then takes the place of the old. A folder that is not empty is
 * replaced only if `isOurs` recognizes it as earlier output.
 */
export async function replaceFolder(
  folder: string,
  isOurs: (folder: string) => boolean,
  fill: (staging: string) => Promise<void>,
): Promise<void> {
  const target = resolve(folder);
  refuseForeign(target, isOurs);
  const [staging, old] = [beside(target, "new"), beside(target, "old")];
  try {
    makeFolder(dirname(target));
    await removing([staging, old], async () => {
      await mkdir(staging);
      await fill(staging);
      // Windows cannot sync folders.
      if (process.platform !== "win32") await sync(staging, "r");
      swap(staging, target, old);
    });
  } catch (error) {
    throw unwritten(folder, error);
  }
}

/** Exchanges the folders. No call can do it at once, so both moves are synchronous, and no signal handler runs between them. */
function swap(staging: string, target: string, old: string): void {
  if (existsSync(target)) renameSync(target, old);
  try {
    renameSync(staging, target);
  } catch (error) {
    if (existsSync(old)) renameSync(old, target);
    throw error;
  }
}

/** Refuses a folder that is not ours, since replacing it would delete the user's files. */
function refuseForeign(folder: string, isOurs: (folder: string) => boolean): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new LinkFailure(`'${folder}' is a file`, "name a folder with --out");
  if (readdirSync(folder).length === 0 || isOurs(folder)) return;
  throw new LinkFailure(`'${folder}' holds files that pipewright has not written`, "choose another folder with --out, or empty this one");
}

/** A name for a temporary file beside the target. It has only the begin of the target's name, because file systems limit the length. */
function beside(target: string, role: string): string {
  return join(dirname(target), `.${basename(target).slice(0, 40)}.${role}-${randomBytes(6).toString("hex")}`);
}

/** Gives `work` a private folder that is removed afterwards. */
export async function withTemporaryFolder<V>(work: (folder: string) => Promise<V>): Promise<V> {
  const folder = await mkdtemp(join(tmpdir(), "pipewright-"));
  return removing([folder], () => work(folder));
}

/** A private folder that is removed when the process ends. */
export function lastingFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Removes the paths at the end of the work, also when it fails or a signal ends the process in the middle of it. */
async function removing<V>(paths: readonly string[], work: () => Promise<V>): Promise<V> {
  const remove = (): void => {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
  };
  // Work may be nested, so a signal only ends the process. All nested work then tidies up on `exit`.
  const interrupted = (signal: keyof typeof signals): void => process.exit(signals[signal]);
  const names = endSignals();
  for (const name of names) process.on(name, interrupted);
  process.on("exit", remove);
  try {
    return await work();
  } finally {
    for (const name of names) process.off(name, interrupted);
    process.off("exit", remove);
    remove();
  }
}

/** Makes a file, or the names in a folder, survive a power cut. */
async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
