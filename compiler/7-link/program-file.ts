/** The header of a program: its platform, and the least length of its file. */
export interface ProgramHeader {
  /**
   * Platform and processor by their names in Node, with `win` for Windows. `-musl` follows if the program needs that C library of Linux.
   */
  readonly platform: string;
  /** The end of the last part that the header names: a shorter file is cut off. */
  readonly length: number;
}

/**
 * Reads the header of a program in one of the three formats: ELF (Linux), PE (Windows), Mach-O (macOS). Undefined if the file has another
 * format, or is for a processor without Node. A truncated header throws a RangeError. Numbers from the file are used only as places to
 * read, and all loops are bounded.
 */
export function programHeader(file: Buffer): ProgramHeader | undefined {
  if (file.length < 4) return undefined;
  if (file.readUInt32BE(0) === 0x7f454c46) return elf(file);
  if (file.readUInt16BE(0) === 0x4d5a) return portableExecutable(file);
  if (file.readUInt32LE(0) === 0xfeedfacf) return machO(file);
  return undefined;
}

/** True for a file of macOS that holds programs for several processors. */
export const isUniversal = (file: Buffer): boolean => file.length >= 4 && file.readUInt32BE(0) === 0xcafebabe;

/** The most parts of a program that are read, which is more than any Node has. */
const mostParts = 256;

const elfProcessors: Readonly<Record<number, string>> = { 62: "x64", 183: "arm64" };

/** Reads the header of ELF. Only 64-bit, little-endian programs are known. */
function elf(file: Buffer): ProgramHeader | undefined {
  const processor = elfProcessors[file.readUInt16LE(18)];
  if (file.readUInt16LE(4) !== 0x0102 || processor === undefined) return undefined;
  const [at, size, count] = [offset(file, 32), file.readUInt16LE(54), Math.min(file.readUInt16LE(56), mostParts)];
  // The table of sections is the last part of the file.
  let length = offset(file, 40) + file.readUInt16LE(58) * file.readUInt16LE(60);
  let isMusl = false;
  for (let i = 0; i < count; i += 1) {
    const part = at + i * size;
    const [from, bytes] = [offset(file, part + 8), offset(file, part + 32)];
    length = Math.max(length, from + bytes);
    const isInterpreter = file.readUInt32LE(part) === 3;
    if (isInterpreter) isMusl = file.subarray(from, from + Math.min(bytes, 256)).includes("/ld-musl-");
  }
  return { platform: `linux-${processor}${isMusl ? "-musl" : ""}`, length };
}

const peProcessors: Readonly<Record<number, string>> = { 34404: "x64", 43620: "arm64" };

function portableExecutable(file: Buffer): ProgramHeader | undefined {
  const header = file.readUInt32LE(0x3c);
  if (file.readUInt32BE(header) !== 0x50450000) return undefined;
  const processor = peProcessors[file.readUInt16LE(header + 4)];
  if (processor === undefined) return undefined;
  const sections = header + 24 + file.readUInt16LE(header + 20);
  let length = 0;
  for (let i = 0; i < Math.min(file.readUInt16LE(header + 6), mostParts); i += 1) {
    const section = sections + i * 40;
    length = Math.max(length, file.readUInt32LE(section + 16) + file.readUInt32LE(section + 20));
  }
  return { platform: `win-${processor}`, length };
}

const machProcessors: Readonly<Record<number, string>> = { 16777223: "x64", 16777228: "arm64" };

function machO(file: Buffer): ProgramHeader | undefined {
  const processor = machProcessors[file.readUInt32LE(4)];
  if (processor === undefined) return undefined;
  let length = 0;
  let command = 32;
  for (let i = 0; i < Math.min(file.readUInt32LE(16), mostParts); i += 1) {
    const isSegment = file.readUInt32LE(command) === 0x19;
    if (isSegment) length = Math.max(length, offset(file, command + 40) + offset(file, command + 48));
    command += file.readUInt32LE(command + 4);
  }
  return { platform: `darwin-${processor}`, length };
}

/** Reads a 64-bit number that is a place in the file. A number beyond any file stays large. */
const offset = (file: Buffer, at: number): number => Number(file.readBigUInt64LE(at));
