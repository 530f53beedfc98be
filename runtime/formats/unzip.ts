import { inflateRawSync } from "node:zlib";

/** A file of a ZIP archive: its bytes, unpacked when they are asked for. */
export interface ZipPart {
  readonly name: string;
  /** Unpacked size, as the directory says. */
  readonly size: number;
  /** Throws when the data is broken or unpacks to more than `size`. */
  readonly unpack: () => Buffer;
}

/** Thrown for bytes that are no ZIP archive, or one that is not supported: with encryption, several volumes, or sizes from 4 GiB on. */
export class NotZip extends Error {}

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const localHeader = 0x04034b50;
const mostParts = 1000;

/**
 * The directory of a ZIP archive (APPNOTE 6.3), which tells the unpacked sizes before anything is unpacked. An archive is refused when it
 * has more than 1,000 parts, two parts of one name, or a part outside of its bytes. Names are never used as paths.
 */
export function zipParts(bytes: Buffer): readonly ZipPart[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > mostParts) throw new NotZip("too many parts");
  const parts = new Map<string, ZipPart>();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== directoryEntry) throw new NotZip("broken directory");
    const nameLength = bytes.readUInt16LE(at + 28);
    const part = partAt(bytes, at, bytes.toString("utf8", at + 46, at + 46 + nameLength));
    if (parts.has(part.name)) throw new NotZip("a name stands twice");
    parts.set(part.name, part);
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return [...parts.values()];
}

/** The record at the end of an archive, behind which there may only be a comment. */
function findEnd(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= 0 && at >= bytes.length - 22 - 0xffff; at--) {
    if (bytes.readUInt32LE(at) === endOfDirectory) return at;
  }
  throw new NotZip("no directory");
}

/** The part that a directory entry describes. Sizes of the local header do not count. */
function partAt(bytes: Buffer, at: number, name: string): ZipPart {
  const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)];
  const [packed, size, local] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 42)];
  if ((flags & 1) === 1 || (method !== 0 && method !== 8)) throw new NotZip("unknown packing");
  if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== localHeader) throw new NotZip("broken part");
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const data = bytes.subarray(start, start + packed);
  if (data.length < packed) throw new NotZip("broken part");
  const unpack = (): Buffer => (method === 0 ? data.subarray(0, size) : inflateRawSync(data, { maxOutputLength: Math.max(1, size) }));
  return { name, size, unpack };
}
