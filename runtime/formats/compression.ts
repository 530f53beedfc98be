import { promisify } from "node:util";
import { deflate, deflateRaw, gunzip, gzip, inflate, inflateRaw } from "node:zlib";
import { bytesOf } from "../value/bytes.ts";
import { Failure } from "../value/failure.ts";

// The annotations let a bundler leave these codecs out of a program that imports only the names below.
const codecs = {
  gzip: { pack: /* @__PURE__ */ promisify(gzip), unpack: /* @__PURE__ */ promisify(gunzip) },
  zlib: { pack: /* @__PURE__ */ promisify(deflate), unpack: /* @__PURE__ */ promisify(inflate) },
  deflate: { pack: /* @__PURE__ */ promisify(deflateRaw), unpack: /* @__PURE__ */ promisify(inflateRaw) },
} as const;

/** Formats of RFC 1952, 1950 and 1951. */
export const algorithms = ["gzip", "zlib", "deflate"] as const;
export type Algorithm = (typeof algorithms)[number];

/** How the compressed bytes are written as text. */
export const byteEncodings = ["base64", "base64url", "hex"] as const;
export type ByteEncoding = (typeof byteEncodings)[number];

/** Compresses at most `limit` bytes, outside of the event loop. More bytes fail. */
export function pack(bytes: Buffer, algorithm: Algorithm, level: number, limit: number): Promise<Buffer> {
  checkInput(bytes, limit);
  return codecs[algorithm].pack(bytes, { level });
}

interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Undoes `pack`; stops as soon as there is more output than the limit. Nothing may follow the packed bytes. */
export async function unpack(bytes: Buffer, algorithm: Algorithm, limit: number): Promise<Buffer> {
  checkInput(bytes, limit);
  try {
    // `info` also gives the engine, which counts the bytes that it has read. The types of Node do not know this option.
    const { buffer, engine } = (await codecs[algorithm].unpack(bytes, {
      maxOutputLength: Math.max(1, limit),
      info: true,
    })) as unknown as Unpacked;
    const rest = bytes.subarray(engine.bytesWritten);
    // Files of gzip may be filled up with zeros.
    if (algorithm === "gzip" ? rest.every((byte) => byte === 0) : rest.length === 0) return buffer;
  } catch (error) {
    const reason = error instanceof RangeError ? `output is over the limit of ${limit} bytes` : `not valid ${algorithm} data`;
    throw new Failure("transform", reason, { cause: error });
  }
  throw new Failure("transform", `not valid ${algorithm} data`);
}

function checkInput({ length }: Buffer, limit: number): void {
  if (length > limit) throw new Failure("transform", `input is ${length} bytes, the limit is ${limit}`);
}

/** The bytes that a text stands for; the two alphabets of Base64 mean the same. */
export function encodedBytes(text: string, encoding: ByteEncoding): Buffer {
  const bytes = bytesOf(text, encoding === "hex" ? "hex" : "base64");
  if (bytes === undefined) throw new Failure("transform", encoding === "hex" ? "invalid hex" : "invalid base64");
  return bytes;
}
