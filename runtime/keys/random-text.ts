/**
 * A random text of characters of the pool, which has at most 256. Each character is equally likely, because bytes beyond the last whole
 * multiple of the size of the pool are drawn again.
 */
export function randomText(pool: string, length: number, bytes: (length: number) => Buffer): string {
  const bound = 256 - (256 % pool.length);
  let out = "";
  while (out.length < length) {
    for (const byte of bytes(length - out.length)) if (byte < bound) out += pool.charAt(byte % pool.length);
  }
  return out;
}
