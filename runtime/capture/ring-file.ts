import { type FileHandle, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { linesOf } from "./lines.ts";
import { alone, appendFlags, privateFile, privateFolder, readFlags, replaceFile } from "./private-files.ts";
import { type Entry, retention } from "./recording.ts";

/** Runs that the file keeps (spec/surfaces 16). It is rewritten when it has twice as many. */
export const ringRuns = 1_000;

const copyBytes = 1_048_576;

/** A line that this process has read or written. */
interface KnownLine {
  readonly start: number;
  readonly seq: number;
  readonly at: number;
}

/**
 * A file with one run a line, the newest last; each line begins with `{"seq":…,"at":…,`. Several processes may write to the file: each one
 * takes the lock, reads the lines that the others have added, and appends its own. The next process that writes cuts off the part of a line
 * that a crash has left.
 */
export class RingFile {
  readonly #path: string;
  /** The inode and the size of the file when this process last read it. */
  #ino: number | undefined;
  #size = 0;
  #lines: KnownLine[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  append(entries: readonly Entry[]): Promise<void> {
    return this.#alone(async () => {
      const file = await privateFile(this.#path, appendFlags);
      if (file === undefined) throw new Error(`${this.#path} cannot be made`);
      try {
        await this.#catchUp(file);
        let seq = this.#lines.at(-1)?.seq ?? 0;
        const lines = entries.map(({ at, text }) => {
          seq += 1;
          return { seq, at, bytes: Buffer.from(`{"seq":${seq},"at":${at},"run":${text}}\n`) };
        });
        await appendAll(file, Buffer.concat(lines.map(({ bytes }) => bytes)), this.#size);
        for (const { seq: own, at, bytes } of lines) {
          this.#lines.push({ start: this.#size, seq: own, at });
          this.#size += bytes.length;
        }
        // The runs are written at this point; if old ones could not be removed, the next process tries again.
        if (this.#lines.length >= 2 * ringRuns) await this.#rewrite(file, this.#lines.length - ringRuns).catch(() => undefined);
      } finally {
        await file.close();
      }
    });
  }

  /** Removes runs that are too old. */
  async prune(now: number): Promise<void> {
    // Without a file there is nothing to remove, and no folder is made.
    const there = await privateFile(this.#path, readFlags);
    if (there === undefined) return;
    await there.close();
    await this.#alone(async () => {
      const file = await privateFile(this.#path, appendFlags);
      if (file === undefined) return;
      try {
        await this.#catchUp(file);
        const first = this.#lines.findIndex(({ at }) => at >= now - retention.ms);
        const old = first < 0 ? this.#lines.length : first;
        if (old > 0) await this.#rewrite(file, old);
      } finally {
        await file.close();
      }
    });
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    await privateFolder(dirname(this.#path));
    await alone(this.#path, work);
  }

  /** Reads the lines that other processes have added, and cuts off half a line. */
  async #catchUp(file: FileHandle): Promise<void> {
    const { ino, size } = await file.stat();
    if (ino !== this.#ino || size < this.#size) {
      this.#ino = ino;
      this.#size = 0;
      this.#lines = [];
    }
    for await (const { text, start, end } of linesOf(file, this.#size)) {
      const [, seq, at] = /^\{"seq":(\d{1,15}),"at":(\d{1,15}),/.exec(text) ?? [];
      const last = this.#lines.at(-1);
      // A line in an unknown form counts as a run, so that it is removed when it is the oldest.
      this.#lines.push({ start, seq: Number(seq ?? last?.seq ?? 0), at: Number(at ?? last?.at ?? 0) });
      this.#size = end;
    }
    if (this.#size < size) await file.truncate(this.#size);
  }

  /** Rewrites the file without its first `dropped` lines. */
  async #rewrite(file: FileHandle, dropped: number): Promise<void> {
    const start = this.#lines[dropped]?.start ?? this.#size;
    await replaceFile(this.#path, async (fresh) => {
      for (let at = start; at < this.#size; ) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(copyBytes), 0, Math.min(copyBytes, this.#size - at), at);
        if (bytesRead === 0) break;
        await fresh.appendFile(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
      // Windows cannot replace an open file.
      await file.close();
    });
    this.#lines = this.#lines.slice(dropped).map((line) => ({ ...line, start: line.start - start }));
    this.#size -= start;
    // The lock is held, so no other process has written to the file.
    this.#ino = (await lstat(this.#path)).ino;
  }
}

/** Appends all bytes or none: a full disk would take only the first lines, which would then be written twice when the write is repeated. */
async function appendAll(file: FileHandle, bytes: Buffer, size: number): Promise<void> {
  try {
    await file.appendFile(bytes);
  } catch (error) {
    await file.truncate(size).catch(() => undefined);
    throw error;
  }
}
