import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { codeOf } from "../value/thrown.ts";

/**
 * Why a file is not read: it is a device, a pipe, a socket or a folder, or it is too large. The message is for people, and does not name
 * the file.
 */
export class FileRefused extends Error {
  readonly isTooLarge: boolean;
  constructor(reason: string, isTooLarge: boolean) {
    super(reason);
    this.name = "FileRefused";
    this.isTooLarge = isTooLarge;
  }
}

/** Opening must not block: a pipe without a writer may have replaced the file meanwhile, and opening that would wait for ever. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a regular file of at most `most` bytes. Any other file throws `FileRefused` and is not read. A file that grows while it is
 * read, beyond `most` bytes, throws, too.
 */
export function readRegularSync(file: string, most: number): Buffer {
  sizeOf(statSync(file), most);
  const handle = openSync(file, flags);
  try {
    return readHandleSync(handle, sizeOf(fstatSync(handle), most), most);
  } finally {
    closeSync(handle);
  }
}

/** Reads standard input of any kind until it ends. Throws `FileRefused` as soon as more than `most` bytes have come. */
export function readInputSync(most: number): Buffer {
  try {
    return readHandleSync(standardInput, firstPiece, most);
  } catch (error) {
    // A Windows console reports its end by this error.
    if (codeOf(error) === "EOF") return Buffer.alloc(0);
    throw error;
  }
}

const standardInput = 0;
/** Bytes of the first buffer when the length of the input is unknown. */
const firstPiece = 64 * 1024;

function readHandleSync(handle: number, expected: number, most: number): Buffer {
  let bytes: Buffer = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (let read = 1; read > 0; length += read) {
    bytes = withRoom(bytes, length, most);
    read = readSync(handle, bytes, length, bytes.length - length, null);
  }
  return bytes.subarray(0, length);
}

/** Reads a regular file as `readRegularSync` does, without blocking the event loop. */
export async function readRegular(file: string, most: number, signal?: AbortSignal): Promise<Buffer> {
  sizeOf(await stat(file), most);
  const handle = await open(file, flags);
  try {
    return await readHandle(handle, sizeOf(await handle.stat(), most), most, signal);
  } finally {
    await handle.close();
  }
}

/**
 * Reads a file that the user has named: a regular one, or a pipe such as that of `<(command)`, which ends when its writer does. More than
 * `most` bytes throw `FileRefused`. A pipe gives its content only once.
 */
export async function readNamed(file: string, most: number): Promise<Buffer> {
  if (!(await isPipe(file))) return readRegular(file, most);
  const handle = await open(file, constants.O_RDONLY);
  try {
    const stats = await handle.stat();
    return await readHandle(handle, stats.isFIFO() ? firstPiece : sizeOf(stats, most), most);
  } finally {
    await handle.close();
  }
}

/** True when the path names a pipe, whose content can be read only once. */
export async function isPipe(file: string): Promise<boolean> {
  return (await stat(file)).isFIFO();
}

async function readHandle(handle: FileHandle, expected: number, most: number, signal?: AbortSignal): Promise<Buffer> {
  let bytes: Buffer = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (let read = 1; read > 0; length += read) {
    signal?.throwIfAborted();
    bytes = withRoom(bytes, length, most);
    read = (await handle.read(bytes, length, bytes.length - length, null)).bytesRead;
  }
  return bytes.subarray(0, length);
}

function sizeOf(stats: Stats, most: number): number {
  if (!stats.isFile()) throw new FileRefused(`it is ${kindOf(stats)}, not a regular file`, false);
  if (stats.size > most) throw tooLarge(most);
  return stats.size;
}

/** A buffer with room for one more byte than the file had: only a file that has grown fills it. */
function withRoom(bytes: Buffer, length: number, most: number): Buffer {
  if (length > most) throw tooLarge(most);
  if (length < bytes.length) return bytes;
  const larger = Buffer.allocUnsafe(Math.min(2 * bytes.length, most + 1));
  bytes.copy(larger);
  return larger;
}

const tooLarge = (most: number): FileRefused => new FileRefused(`it is larger than ${sizeText(most)}`, true);

/** The kind of a file that is not a regular one, for an error. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

const sizeText = (bytes: number): string => (bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${bytes} bytes`);
