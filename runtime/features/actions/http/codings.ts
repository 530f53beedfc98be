import { promisify } from "node:util";
import { constants, inflateRaw, zstdDecompress } from "node:zlib";
import { contentEncoding, type Decoder, decoders, inflateBy } from "../../../formats/inflate.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";

/** The most codings of one body. */
const most = 3;

/** Registered codings that are not supported. */
const unknown: ReadonlySet<string> = new Set(["compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"]);

const none: readonly string[] = [];

/** The codings of a body, in the order in which they were applied. A name that is no coding, such as `utf-8`, says nothing of the bytes. */
export function codingsOf(header: Json | undefined): readonly string[] {
  if (typeof header !== "string") return none;
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name === "zstd" || unknown.has(name) || contentEncoding(name));
}

/**
 * Undoes the codings of a body, the last one first; undefined for more bytes than the limit. Throws the `Failure` of one that is broken or
 * not supported.
 */
export async function decoded(bytes: Buffer, codings: readonly string[], limit: number): Promise<Buffer | undefined> {
  if (codings.length > most) throw bad(`http response has more than ${most} content encodings`);
  let plain: Buffer | undefined = bytes;
  for (const name of codings.toReversed()) if (plain !== undefined) plain = await once(plain, name, limit);
  return plain;
}

async function once(bytes: Buffer, name: string, limit: number): Promise<Buffer | undefined> {
  const decoder = decoderOf(name, bytes);
  if (decoder === undefined) throw bad(`http response has the content encoding ${name}, which is not supported`);
  const plain = await inflateBy(decoder, bytes, limit);
  if (plain === null) throw bad(`http response is not valid ${name}`);
  return plain;
}

function decoderOf(name: string, bytes: Buffer): Decoder | undefined {
  // RFC 9659 allows a window of 8 MiB; a larger one would be kept in memory.
  if (name === "zstd") {
    const params = { [constants.ZSTD_d_windowLogMax]: 23 };
    return (packed, bounds) => promisify(zstdDecompress)(packed, { ...bounds, params });
  }
  // Old servers leave out the header of zlib, and browsers read that, too.
  if (name === "deflate" && !hasZlibHeader(bytes)) return promisify(inflateRaw) as Decoder;
  const encoding = contentEncoding(name);
  return encoding ? decoders[encoding] : undefined;
}

/** RFC 1950, 2.2: the method is deflate, and both bytes are a multiple of 31. */
const hasZlibHeader = (bytes: Buffer): boolean => bytes.length >= 2 && bytes.readUInt8() % 16 === 8 && bytes.readUInt16BE() % 31 === 0;

const bad = (text: string): Failure => new Failure("transport", text, { upstream: 502 });
