import { Buffer } from "node:buffer";
import { Failure } from "../../../value/failure.ts";
import { status, statusOf } from "./failures.ts";
import type { Session } from "./session.ts";

/** The most bytes of one file. */
export const largestFile = 67_108_864;

/** Bytes of one request, which every server takes, and requests that are on their way at the same time. */
const block = 32_768;
const window = 16;

export const tooLarge = (operation: string): Failure =>
  new Failure("transport", `sftp ${operation}: the file is larger than 64 MiB`, { upstream: 502 });

/** Reads an open file to its end. A file may grow or shrink meanwhile, and some have no size at all, so that only its end counts. */
export async function readAll({ ask, sftp }: Session, handle: Buffer): Promise<Buffer> {
  const blocks = new Map<number, Buffer>();
  let next = 0;
  let end = Number.POSITIVE_INFINITY;
  const fetch = async (): Promise<void> => {
    // Parallel readers do not know the end of the file. The block behind the largest size tells whether the file is too large.
    while (next < end && next <= largestFile) {
      const at = next;
      next += block;
      const bytes = await readBlock({ ask, sftp }, handle, at);
      blocks.set(at, bytes);
      if (bytes.length < block) end = Math.min(end, at);
    }
  };
  await all(Array.from({ length: window }, fetch));
  const parts = [...blocks].sort(([a], [b]) => a - b).flatMap(([at, bytes]) => (at <= end ? [bytes] : []));
  const whole = Buffer.concat(parts);
  if (whole.length > largestFile) throw tooLarge("get");
  return whole;
}

/** A block is shorter than others only at the end of the file, however little the server gives at a time. */
async function readBlock({ ask, sftp }: Pick<Session, "ask" | "sftp">, handle: Buffer, at: number): Promise<Buffer> {
  const bytes = Buffer.alloc(block);
  let filled = 0;
  while (filled < block) {
    const count = await ask<number>((done) => sftp.read(handle, bytes, filled, block - filled, at + filled, done)).catch(endOfFile);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function endOfFile(error: unknown): 0 {
  if (statusOf(error) === status.eof) return 0;
  throw error;
}

/** Writes the bytes to an open file. */
export async function writeAll({ ask, sftp }: Session, handle: Buffer, bytes: Buffer): Promise<void> {
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < bytes.length) {
      const at = next;
      next += block;
      await ask<void>((done) => sftp.write(handle, bytes, at, Math.min(block, bytes.length - at), at, done));
    }
  };
  await all(Array.from({ length: window }, send));
}

/** Waits for all requests, even when one fails, so that none of them goes on after the end of the transfer. */
async function all(work: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(work);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
