import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { open, stat } from "node:fs/promises";

/** Why a file is not read: it is a device, a pipe, a socket or a folder, or it is too large. The message is for people, and does not name the file. */
export class FileRefused extends Error {
  readonly isTooLarge: boolean;
  constructor(reason: string, isTooLarge: boolean) {
    super(reason);
    this.name = "FileRefused";
    this.isTooLarge = isTooLarge;
  }
}

/** A pipe that nobody writes to would keep us waiting where the file has been replaced by one since it was looked at. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The bytes of a regular file of at most `most` bytes. Of anything else nothing is read, and of a file that grows meanwhile no more than that. */
export function readRegularSync(file: string, most: number): Buffer {
  sizeOf(statSync(file), most);
  const handle = openSync(file, flags);
  try {
    let bytes: Buffer = Buffer.allocUnsafe(sizeOf(fstatSync(handle), most) + 1);
    let length = 0;
    for (let read = 1; read > 0; length += read) {
      bytes = withRoom(bytes, length, most);
      read = readSync(handle, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

/** The same without keeping the process from anything else. */
export async function readRegular(file: string, most: number, signal?: AbortSignal): Promise<Buffer> {
  sizeOf(await stat(file), most);
  const handle = await open(file, flags);
  try {
    let bytes: Buffer = Buffer.allocUnsafe(sizeOf(await handle.stat(), most) + 1);
    let length = 0;
    for (let read = 1; read > 0; length += read) {
      signal?.throwIfAborted();
      bytes = withRoom(bytes, length, most);
      read = (await handle.read(bytes, length, bytes.length - length, null)).bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}

function sizeOf(stats: Stats, most: number): number {
  if (!stats.isFile()) throw new FileRefused(`it is ${kindOf(stats)}, not a regular file`, false);
  if (stats.size > most) throw tooLarge(most);
  return stats.size;
}

/** There is room for a byte more than the file had: only one that has grown fills it. */
function withRoom(bytes: Buffer, length: number, most: number): Buffer {
  if (length > most) throw tooLarge(most);
  if (length < bytes.length) return bytes;
  const larger = Buffer.allocUnsafe(Math.min(2 * bytes.length, most + 1));
  bytes.copy(larger);
  return larger;
}

const tooLarge = (most: number): FileRefused => new FileRefused(`it is larger than ${sizeText(most)}`, true);

/** A path that names no regular file names this. */
export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

const sizeText = (bytes: number): string => (bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${bytes} bytes`);
