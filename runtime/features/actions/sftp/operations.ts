import { isUtf8 } from "node:buffer";
import { posix } from "node:path";
import type { Stats } from "ssh2";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import { isUnsupported, status, statusOf } from "./failures.ts";
import type { Encoding } from "./schema.ts";
import type { Session } from "./session.ts";
import { largestFile, readAll, tooLarge, writeAll } from "./transfer.ts";

/** `{path, size, encoding, content}` of a file. Bytes that are no UTF-8 are not given as text. */
export async function get(session: Session, path: string, encoding: Encoding): Promise<Json> {
  const { ask, sftp } = session;
  const handle = await ask<Buffer>((done) => sftp.open(path, "r", done));
  try {
    const { size } = await ask<Stats>((done) => sftp.fstat(handle, done));
    if (size > largestFile) throw tooLarge("get");
    const bytes = await readAll(session, handle);
    if (encoding === "base64") return { path, size: bytes.length, encoding, content: bytes.toString("base64") };
    if (!isUtf8(bytes)) throw new Failure("transport", "sftp get: the file is no UTF-8 text; use encoding: base64", { upstream: 502 });
    return { path, size: bytes.length, encoding, content: bytes.toString("utf8") };
  } finally {
    await quietly(closing(session, handle));
  }
}

/** The rights of a file that is written, while it is incomplete: those of the file that it replaces are set at its end. */
const unreadable = 0o600;

/** The bits of a mode that are rights. */
const rights = 0o7777;

/**
 * Writes a file under another name beside the path, and renames it to the path once it is complete, so that a reader sees either the old
 * file or the new one. The new file gets the rights of the old one. Without an old file, the server gives it the usual rights. A file that
 * stays incomplete is removed, even when the action has stopped waiting for the answer of the server.
 */
export async function put(session: Session, path: string, bytes: Buffer, id: string): Promise<Json> {
  const { ask, sftp } = session;
  const unfinished = posix.join(posix.dirname(path), `.${id}.part`);
  const mode = await modeOf(session, path);
  let isSet = false;
  try {
    const handle = await ask<Buffer>((done) =>
      mode === undefined ? sftp.open(unfinished, "wx", done) : sftp.open(unfinished, "wx", unreadable, done),
    );
    try {
      await writeAll(session, handle, bytes);
      isSet = mode === undefined || (await isSupported(ask<void>((done) => sftp.fchmod(handle, mode, done))));
      await synced(session, handle);
    } finally {
      await quietly(closing(session, handle));
    }
    if (mode !== undefined && !isSet) await isSupported(ask<void>((done) => sftp.chmod(unfinished, mode, done)));
    await replaced(session, unfinished, path);
  } catch (error) {
    await quietly(ask<void>((done) => sftp.unlink(unfinished, done)));
    throw error;
  }
  return { path, size: bytes.length };
}

/** The rights of the file that has the path; undefined for a path that is free, and where the server does not say. */
async function modeOf({ ask, sftp }: Session, path: string): Promise<number | undefined> {
  try {
    const { mode } = await ask<Stats>((done) => sftp.stat(path, done));
    return mode === undefined ? undefined : mode & rights;
  } catch (error) {
    // A server that refuses to show the rights will also refuse to replace the file, if its rights matter.
    if (statusOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Asks the server to write the file to its disk; false when it does not know this operation. */
const synced = ({ ask, sftp }: Session, handle: Buffer): Promise<boolean> =>
  isSupported(ask<void>((done) => sftp.ext_openssh_fsync(handle, done)));

/** Waits for an operation; false when the server does not know it. */
const isSupported = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (!isUnsupported(error)) throw error;
      return false;
    },
  );

/** Puts a file in the place of another. Without `posix-rename@openssh.com` there is a moment at which neither has the name. */
async function replaced(session: Session, from: string, to: string): Promise<void> {
  const { ask, sftp } = session;
  try {
    await ask<void>((done) => sftp.ext_openssh_rename(from, to, done));
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    await ask<void>((done) => sftp.unlink(to, done)).catch((failed: unknown) => {
      if (statusOf(failed) !== status.noSuchFile) throw failed;
    });
    await ask<void>((done) => sftp.rename(from, to, done));
  }
}

/** Deletes a file, or a folder that is empty. */
export async function remove({ ask, sftp }: Session, path: string): Promise<Json> {
  const stats = await ask<Stats>((done) => sftp.lstat(path, done));
  await ask<void>((done) => (stats.isDirectory() ? sftp.rmdir(path, done) : sftp.unlink(path, done)));
  return { path, ok: true };
}

/** Servers refuse a new path that is taken, so nothing is lost. */
export async function rename({ ask, sftp }: Session, from: string, to: string): Promise<Json> {
  await ask<void>((done) => sftp.rename(from, to, done));
  return { from, to, ok: true };
}

/** Makes a folder and those above it. One that is there already is no failure. */
export async function mkdir(session: Session, path: string): Promise<Json> {
  const missing: string[] = [];
  for (let folder = posix.normalize(path); !(await isFolder(session, folder)); folder = posix.dirname(folder)) {
    missing.unshift(folder);
    if (posix.dirname(folder) === folder) break;
  }
  for (const folder of missing) {
    await session
      .ask<void>((done) => session.sftp.mkdir(folder, done))
      .catch(async (error: unknown) => {
        // Another client may have made it meanwhile.
        if (statusOf(error) === undefined || !(await isFolder(session, folder))) throw error;
      });
  }
  return { path, ok: true };
}

async function isFolder({ ask, sftp }: Session, path: string): Promise<boolean> {
  try {
    return (await ask<Stats>((done) => sftp.stat(path, done))).isDirectory();
  } catch (error) {
    if (statusOf(error) === status.noSuchFile) return false;
    throw error;
  }
}

const closing = ({ ask, sftp }: Session, handle: Buffer): Promise<void> => ask<void>((done) => sftp.close(handle, done));

/** Ignores a failure of work that cleans up: the failure before it is the one that counts. */
const quietly = (work: Promise<void>): Promise<void> => work.catch(() => undefined);
