import { promisify } from "node:util";
import { constants, inflateRaw, zstdDecompress } from "node:zlib";
import { contentEncoding, type Decoder, decoders, inflateBy } from "../../../formats/inflate.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";

/** The most codings of one body. */
const most = 3;

/** Codings that are registered and that nobody undoes here. */
const unknown: ReadonlySet<string> = new Set(["compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"]);

const none: readonly string[] = [];

const raw = promisify(inflateRaw) as Decoder;
const unzstd = promisify(zstdDecompress);
/** The window that RFC 9659 allows; a larger one would be kept in memory. */
const params = { [constants.ZSTD_d_windowLogMax]: 23 };

/** The codings of a body, in the order in which they were applied. A name that is no coding, such as `utf-8`, says nothing of the bytes. */
export function codingsOf(header: Json | undefined): readonly string[] {
  if (typeof header !== "string") return none;
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name === "zstd" || unknown.has(name) || contentEncoding(name));
}

/** Undoes the codings of a body, the last one first. Throws the `Failure` of one that is broken or not known. */
export async function decoded(bytes: Buffer, codings: readonly string[], limit: number): Promise<Buffer> {
  if (codings.length > most) throw bad(`http response has more than ${most} content encodings`);
  let plain = bytes;
  for (const name of codings.toReversed()) plain = await once(plain, name, limit);
  return plain;
}

async function once(bytes: Buffer, name: string, limit: number): Promise<Buffer> {
  const decoder = decoderOf(name, bytes);
  if (decoder === undefined) throw bad(`http response has the content encoding ${name}, which is not supported`);
  const plain = await inflateBy(decoder, bytes, limit);
  if (plain === undefined) throw tooLong(limit);
  if (plain === null) throw bad(`http response is not valid ${name}`);
  return plain;
}

function decoderOf(name: string, bytes: Buffer): Decoder | undefined {
  if (name === "zstd") return (packed, bounds) => unzstd(packed, { ...bounds, params });
  // Old servers leave out the header of zlib, and browsers read that, too.
  if (name === "deflate" && !hasZlibHeader(bytes)) return raw;
  const encoding = contentEncoding(name);
  return encoding ? decoders[encoding] : undefined;
}

/** RFC 1950, 2.2: the method is deflate, and both bytes are a multiple of 31. */
const hasZlibHeader = (bytes: Buffer): boolean => bytes.length >= 2 && bytes.readUInt8() % 16 === 8 && bytes.readUInt16BE() % 31 === 0;

export const tooLong = (limit: number): Failure => bad(`http response exceeds ${limit} bytes`);

const bad = (text: string): Failure => new Failure("transport", text, { upstream: 502 });
