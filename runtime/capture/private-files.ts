import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../value/thrown.ts";

// Files that only this user may read, in a folder that another user may have prepared: no link is followed.

/** Milliseconds after which the holder of a lock counts as dead, if it has done nothing. */
const staleMs = 10_000;

/** Milliseconds for which a lock of another process is waited for. */
const patienceMs = 3_000;

const notFollowed = constants.O_NOFOLLOW ?? 0; // Windows has no such flag

export const readFlags = constants.O_RDONLY | notFollowed;
export const appendFlags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | notFollowed;
const newFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | notFollowed;

/** Makes the folder, for this user alone. */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stats = await lstat(path);
  if (!stats.isDirectory()) throw new Error(`${path} is no folder of its own: a link is not followed`);
}

/** Opens a regular file of this user, and follows no link; undefined when the file is not there. */
export async function privateFile(path: string, flags: number): Promise<FileHandle | undefined> {
  const linked = await lstat(path).catch(absent);
  if (linked !== undefined && !linked.isFile()) throw new Error(`${path} is no plain file: a link is not followed`);
  const file = await open(path, flags, 0o600).catch(absent);
  if (file === undefined) return undefined;
  try {
    const { mode, uid } = await file.stat();
    // Another user who may write to the folder may have put a file there.
    if (process.getuid !== undefined && uid !== process.getuid()) throw new Error(`${path} belongs to another user`);
    if ((mode & 0o077) !== 0 && (flags & constants.O_RDWR) !== 0) await file.chmod(0o600);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Replaces a file in one step: a reader sees the old content or the new one, also after a crash. */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const fresh = `${path}.${process.pid}.new`;
  await unlink(fresh).catch(absent);
  const file = await open(fresh, newFlags, 0o600);
  try {
    await write(file);
    await file.sync();
  } catch (error) {
    await file.close();
    await unlink(fresh).catch(absent);
    throw error;
  }
  await file.close();
  await rename(fresh, path);
}

/** Does the work while no other process does work on the same file. */
export async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const handle = await locked(lock);
  try {
    return await work();
  } finally {
    await release(lock, handle);
  }
}

async function locked(lock: string): Promise<FileHandle> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const file = await open(lock, newFlags, 0o600).catch(taken);
    if (file !== undefined) return file;
    await removeStale(lock);
    if (performance.now() > until) throw new Error(`${lock} is held by another process`);
    await sleep(10 + (performance.now() % 20));
  }
}

/**
 * Moves the lock of a dead process away. When several processes find such a lock, one of them moves it away. When the moved lock turns out
 * to belong to a living process, it is moved back.
 */
async function removeStale(lock: string): Promise<void> {
  if (!(await isStale(lock))) return;
  const away = `${lock}.${process.pid}.stale`;
  if ((await rename(lock, away).then(() => true, absent)) === undefined) return;
  if (await isStale(away)) await unlink(away).catch(absent);
  else await rename(away, lock).catch(absent);
}

async function isStale(lock: string): Promise<boolean> {
  const stats = await lstat(lock).catch(absent);
  // Only the machine's clock can be compared with the times of the file system, which made the lock.
  return stats !== undefined && Date.now() - stats.mtimeMs > staleMs;
}

/** Removes the lock only if this process still holds it: another process may have taken this one for dead. */
async function release(lock: string, handle: FileHandle): Promise<void> {
  const [own, there] = await Promise.all([handle.stat(), stat(lock).catch(absent)]);
  await handle.close();
  if (there?.ino === own.ino) await unlink(lock).catch(absent);
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

function taken(error: unknown): undefined {
  if (codeOf(error) !== "EEXIST") throw error;
}
