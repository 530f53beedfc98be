import { type Algorithm, algorithms, type ByteEncoding, byteEncodings, pack } from "../../formats/compression.ts";
import { type KeyPath, keyPath, valueAt, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source } from "../../paths/source.ts";
import type { Act } from "../../run/run.ts";
import { keyedFrom, ofAny } from "../../shapes/arguments.ts";
import { string } from "../../shapes/shape.ts";
import { requireEntitled } from "../../value/entitled.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import { encodeUtf8 } from "../../value/utf8.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly value: SourceArgument;
  readonly key: string | null;
  readonly algorithm?: string | null;
  readonly encoding?: string | null;
  readonly level?: number | null;
}

interface Ready {
  readonly value: Source;
  readonly key: KeyPath;
  readonly algorithm: Algorithm;
  readonly encoding: ByteEncoding;
  readonly level: number;
}

const defaultLevel = 6;

/** Stage 1: a level outside 0..9 is PW512. */
export function prepare({ value, key, algorithm, encoding, level }: Args): Ready {
  const effort = level ?? defaultLevel;
  if (effort < 0 || effort > 9) throw new Reject("PW512", `level ${effort} is outside 0..9`);
  return {
    value: source(value),
    key: keyPath(key),
    algorithm: oneOf("algorithm", algorithm, algorithms, "gzip"),
    encoding: oneOf("encoding", encoding, byteEncodings, "base64"),
    level: effort,
  };
}

/**
 * Compresses the UTF-8 bytes of a text, or of anything else as compact JSON, and writes them as text under the key; the value stays. Fails
 * when there are more bytes than `max_compress_bytes`, and on a text with a lone surrogate. The compressed bytes may differ between
 * versions: only what they unpack to is certain.
 */
export async function compress(data: Json, { value: from, key, algorithm, encoding, level }: Ready, act: Act): Promise<Json> {
  requireEntitled(act.run.host, "compression");
  const value = "path" in from ? valueAt(data, from.path) : from.value;
  const bytes = encodeUtf8(typeof value === "string" ? value : JSON.stringify(value));
  const packed = await pack(bytes, algorithm, level, act.run.host.limits.maxCompressBytes);
  return write(data, key, packed.toString(encoding), isRoot(from));
}

export const spec: Transform<Args, Ready> = {
  summary: "Compress a value and write it as text.",
  schema: {
    type: "object",
    required: ["value", "key"],
    additionalProperties: false,
    properties: {
      value: { type: "string", context: "source", description: "Path of the value, or a marker that gives it; empty means all data." },
      key: { type: "string", context: "path", description: "Where the compressed text is written." },
      algorithm: {
        type: "string",
        enum: algorithms,
        default: "gzip",
        description: "Format: `deflate` is raw, without header or checksum.",
      },
      encoding: {
        type: "string",
        enum: byteEncodings,
        default: "base64",
        description: "How the bytes are written; `base64url` has no padding.",
      },
      level: { type: "integer", default: defaultLevel, description: "0 is fastest, 9 smallest." },
    },
  },
  bounds: "input of `max_compress_bytes`",
  // The limit is that of the process.
  effect: "limits",
  async: true,
  prepare,
  run: compress,
  shape: (data, { shape: args }) => keyedFrom(data, args, "value", ofAny(string)),
};
