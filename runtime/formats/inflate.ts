import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, inflateRaw, inflate as inflateZlib, type ZlibOptions, zstdDecompress } from "node:zlib";

type Decoder = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decoder = promisify<Buffer, ZlibOptions, Buffer>(gunzip);
const unwrap: Decoder = promisify<Buffer, ZlibOptions, Buffer>(inflateZlib);
const raw: Decoder = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);
const unzstd = promisify(zstdDecompress);

/** The window that RFC 9659 allows; a larger one would be kept in memory. */
const window = { [constants.ZSTD_d_windowLogMax]: 23 };

const decoders = {
  gzip: unzip,
  "x-gzip": unzip,
  // Old servers leave out the header of zlib, and browsers read that, too.
  deflate: (bytes, options) => (hasZlibHeader(bytes) ? unwrap : raw)(bytes, options),
  br: promisify(brotliDecompress) as Decoder,
  zstd: (bytes, options) => unzstd(bytes, { ...options, params: window }),
} satisfies Readonly<Record<string, Decoder>>;

/** RFC 1950, 2.2: the method is deflate, and both bytes are a multiple of 31. */
const hasZlibHeader = (bytes: Buffer): boolean => bytes.length >= 2 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;

/** A content encoding that `inflate` undoes. */
export type Encoding = keyof typeof decoders;

export const isEncoding = (name: string): name is Encoding => Object.hasOwn(decoders, name);

/** The encoding that the header of a request names: null for none, undefined for one that is not supported (spec/surfaces 1). */
export function contentEncoding(header: string | undefined): Encoding | null | undefined {
  const name = header?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return null;
  return isEncoding(name) && name !== "zstd" ? name : undefined;
}

/** The plain bytes; undefined when they are more than the limit, null when the data is broken. Never holds more than the limit. */
export async function inflate(bytes: Buffer, encoding: Encoding, limit: number): Promise<Buffer | null | undefined> {
  try {
    return await decoders[encoding](bytes, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    return error instanceof RangeError ? undefined : null;
  }
}
