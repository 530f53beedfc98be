import { writeSync } from "node:fs";
import { pino, stdTimeFunctions } from "pino";
import { codeOf } from "../value/thrown.ts";
import { visible } from "../value/visible.ts";
import type { Log, LogLevel } from "./host.ts";

/** The output of the log, and the lowest level that it writes. */
export interface LogOptions {
  /** The file descriptor: 1 is stdout, 2 is stderr. */
  readonly fd?: 1 | 2;
  readonly level?: LogLevel;
  /** The number of this worker, if there are several. */
  readonly worker?: number | undefined;
}

/** Milliseconds until a pipe that is full is tried again. */
const busyMs = 100;

/**
 * A log with one JSON record a line. Each is written before the call returns, so that none is lost when the process ends. Characters that
 * could deceive a reader of a terminal (bidirectional controls, zero width) are escaped. A log that cannot be written does not end the
 * process.
 */
export function createLog({ fd = 1, level = "info", worker }: LogOptions = {}): Log {
  const logger = pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      customLevels: { critical: 60 },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: visible },
    },
    new Output(fd),
  );
  return (at, msg, fields) => logger[at](fields ?? {}, msg);
}

/** Writes records to a descriptor. While its disk is full they are dropped, and none of them is written in part. */
class Output {
  readonly #fd: 1 | 2;
  /** The rest of a record that was written in part. */
  #rest: Uint8Array = new Uint8Array();
  #isTold = false;
  #isClosed = false;

  constructor(fd: 1 | 2) {
    this.#fd = fd;
  }

  write(record: string): void {
    if (this.#isClosed || !this.#put(this.#rest)) return;
    this.#put(Buffer.from(record));
  }

  /** Writes bytes; false when some are left. The rest of a record that was written in part comes before the next record. */
  #put(bytes: Uint8Array): boolean {
    let at = 0;
    try {
      while (at < bytes.length) at += this.#some(bytes.subarray(at));
      this.#rest = bytes.subarray(at);
      return true;
    } catch (error) {
      if (at > 0) this.#rest = bytes.subarray(at);
      this.#failed((error as NodeJS.ErrnoException).code); // Node throws no other errors here
      return false;
    }
  }

  #some(bytes: Uint8Array): number {
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      if (!["EAGAIN", "EBUSY"].includes(String(codeOf(error)))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
      return 0;
    }
  }

  #failed(code: string | undefined): void {
    // The reader has closed the pipe.
    this.#isClosed = code === "EPIPE";
    if (this.#isTold || this.#isClosed) return;
    this.#isTold = true;
    try {
      writeSync(2, `pipewright: the log cannot be written (${code}), and the service goes on: give its disk room\n`);
    } catch {
      // Writing to the other output may fail as well, for example on the same full disk.
    }
  }
}
