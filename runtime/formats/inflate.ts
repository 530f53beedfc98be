import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate as inflateZlib } from "node:zlib";

/** How each content encoding is undone. */
export const decoders = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflateZlib),
  br: promisify(brotliDecompress),
} as const;

/** A content encoding that `inflate` undoes. */
export type Encoding = keyof typeof decoders;

/** The encoding that a header names: null for none, undefined for one that is not supported. */
export function contentEncoding(header: string | undefined): Encoding | null | undefined {
  const name = header?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return null;
  return Object.hasOwn(decoders, name) ? (name as Encoding) : undefined; // hasOwn is the check
}

/** The plain bytes; undefined when they are more than the limit, null when the data is broken. Never holds more than the limit. */
export const inflate = (bytes: Buffer, encoding: Encoding, limit: number): Promise<Buffer | null | undefined> =>
  inflateBy(decoders[encoding], bytes, limit);

/** Undoes an encoding with bounds. */
export type Decoder = (bytes: Buffer, bounds: { readonly maxOutputLength: number }) => Promise<Buffer>;

/** As `inflate`, by any decoder. */
export async function inflateBy(decoder: Decoder, bytes: Buffer, limit: number): Promise<Buffer | null | undefined> {
  try {
    return await decoder(bytes, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    return error instanceof RangeError ? undefined : null;
  }
}
