import { InternalError } from "../../../compiler/diagnostics/diagnostic.ts";

/** The bytes that an executable carries for Node, found by its own tables as the loader of its platform finds them. */
export function embedded(file: Buffer): Buffer {
  if (file.readUInt32BE(0) === 0x7f454c46) return noteOf(file);
  if (file.readUInt16BE(0) === 0x4d5a) return resourceOf(file);
  throw new InternalError("neither ELF nor PE");
}

/** Linux: a note with this name, in a segment of notes. */
function noteOf(file: Buffer): Buffer {
  const headers = Number(file.readBigUInt64LE(32));
  for (let i = 0; i < file.readUInt16LE(56); i += 1) {
    const header = headers + i * file.readUInt16LE(54);
    if (file.readUInt32LE(header) !== 4) continue;
    let at = Number(file.readBigUInt64LE(header + 8));
    const end = at + Number(file.readBigUInt64LE(header + 32));
    while (at + 12 <= end) {
      const [name, content] = [file.readUInt32LE(at), file.readUInt32LE(at + 4)];
      const begin = at + 12 + aligned(name);
      if (file.toString("latin1", at + 12, at + 12 + name - 1) === "NODE_SEA_BLOB") return file.subarray(begin, begin + content);
      at = begin + aligned(content);
    }
  }
  throw new InternalError("no note");
}

const aligned = (bytes: number): number => (bytes + 3) & ~3;

/** Windows: the raw data of this name, in whatever language. */
function resourceOf(file: Buffer): Buffer {
  const header = file.readUInt32LE(0x3c);
  const sections = header + 24 + file.readUInt16LE(header + 20);
  const inFile = (address: number): number => {
    for (let i = 0; i < file.readUInt16LE(header + 6); i += 1) {
      const section = sections + i * 40;
      const from = file.readUInt32LE(section + 12);
      if (address >= from && address < from + file.readUInt32LE(section + 16)) return address - from + file.readUInt32LE(section + 20);
    }
    throw new InternalError("an address of no section");
  };
  // The third entry of the directories is that of resources; a PE of 64 bits has them 112 bytes into its optional header.
  const root = inFile(file.readUInt32LE(header + 24 + 112 + 2 * 8));
  const entryOf = (directory: number, is: (id: number) => boolean): number => {
    const count = file.readUInt16LE(directory + 12) + file.readUInt16LE(directory + 14);
    for (let i = 0; i < count; i += 1) {
      const entry = directory + 16 + i * 8;
      if (is(file.readUInt32LE(entry))) return root + (file.readUInt32LE(entry + 4) & 0x7fffffff);
    }
    throw new InternalError("no resource");
  };
  const named = (wanted: string) => (id: number) => {
    if (id < 0x80000000) return false;
    const at = root + (id & 0x7fffffff);
    return file.toString("utf16le", at + 2, at + 2 + 2 * file.readUInt16LE(at)) === wanted;
  };
  const data = entryOf(
    entryOf(
      entryOf(root, (id) => id === 10),
      named("NODE_SEA_BLOB"),
    ),
    () => true,
  );
  const begin = inFile(file.readUInt32LE(data));
  return file.subarray(begin, begin + file.readUInt32LE(data + 4));
}
