import { expect, test } from "vitest";
import { largestFile, readAll } from "#runtime/features/actions/sftp/transfer.ts";

// Files of nearly the largest size: sixteen readers are ahead of the end of a file (docs/sftp.md).

/** A session with one open file. The server answers requests in the order in which they came, once all readers have asked. */
function fileOf(size: number): Parameters<typeof readAll>[0] {
  const read = (
    _: Buffer,
    bytes: Buffer,
    offset: number,
    length: number,
    at: number,
    done: (error: undefined, count: number) => void,
  ): void => {
    const count = Math.min(length, Math.max(0, size - at));
    bytes.fill(7, offset, offset + count);
    setImmediate(done, undefined, count);
  };
  const ask = <V>(call: (done: (error: unknown, value: V) => void) => void): Promise<V> =>
    new Promise((resolve, reject) => call((error, value) => (error === undefined ? resolve(value) : reject(error))));
  // Only `read` of the client is asked.
  return { ask, sftp: { read } } as unknown as Parameters<typeof readAll>[0];
}

test.each([largestFile - 1, largestFile])("a file of %d bytes is read as a whole", async (size) => {
  const whole = await readAll(fileOf(size), Buffer.alloc(1));
  expect([whole.length, whole.indexOf(0)]).toEqual([size, -1]);
});

test.each([largestFile + 1, Number.POSITIVE_INFINITY])("a file of %d bytes is too large", async (size) => {
  await expect(readAll(fileOf(size), Buffer.alloc(1))).rejects.toThrow("sftp get: the file is larger than 64 MiB");
});
