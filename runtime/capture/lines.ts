import type { FileHandle } from "node:fs/promises";

/** The most characters of a line that this program writes. */
const longest = 1_048_576;

const chunkBytes = 65_536;

/** A line of a file without its line break, with its start and the start of the next line. */
export interface FileLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The whole lines of a file from a place on. Text after the last line break was cut off by a crash, or is being written. */
export async function* linesOf(file: FileHandle, from = 0): AsyncGenerator<FileLine> {
  let at = from;
  let start = from;
  let pieces: Buffer[] = [];
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    let rest = buffer.subarray(0, bytesRead);
    for (let length = rest.indexOf(10); length >= 0; length = rest.indexOf(10)) {
      const bytes = Buffer.concat([...pieces, rest.subarray(0, length)]);
      rest = rest.subarray(length + 1);
      const end = at + bytesRead - rest.length;
      yield { text: bytes.toString(), start, end };
      pieces = [];
      start = end;
    }
    at += bytesRead;
    const waiting = pieces.reduce((sum, { length }) => sum + length, 0);
    // Only the beginning of a line that is too long is kept.
    if (waiting < longest) pieces.push(rest);
  }
}
