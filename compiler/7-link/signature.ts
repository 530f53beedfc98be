import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";

/**
 * Removes the signature of Node from the header of a Windows program. The injected script has overwritten the signature, so signing tools
 * would refuse the file, and Windows would call it broken. The checksum of the header is computed anew.
 */
export async function takeSignature(path: string): Promise<void> {
  const file = readFileSync(path);
  const optional = file.readUInt32LE(0x3c) + 24;
  const certificates = optional + 112 + 4 * 8;
  file.fill(0, certificates, certificates + 8);
  file.writeUInt32LE(checksumOf(file, optional + 64), optional + 64);
  const handle = await open(path, "r+");
  try {
    await handle.write(file, 0, certificates + 8, 0);
  } finally {
    await handle.close();
  }
}

/** The checksum: the sum of all 16-bit words except the field itself, folded into 16 bits, plus the length of the file. */
function checksumOf(file: Buffer, field: number): number {
  file.writeUInt32LE(0, field);
  let sum = 0;
  for (let at = 0; at + 1 < file.length; at += 2) {
    sum += file.readUInt16LE(at);
    sum = (sum & 0xffff) + (sum >>> 16);
  }
  const last = file.length % 2 === 0 ? 0 : file.readUInt8(file.length - 1);
  const folded = sum + last;
  return ((folded & 0xffff) + (folded >>> 16) + file.length) >>> 0;
}
