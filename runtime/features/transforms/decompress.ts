import { type Algorithm, algorithms, type ByteEncoding, byteEncodings, encodedBytes, unpack } from "../../formats/compression.ts";
import { decodedJsonFor } from "../../formats/decoded-json.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source, sourceText } from "../../paths/source.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyedFrom, ofText, onlyValue } from "../../shapes/arguments.ts";
import { any, type Shape, string } from "../../shapes/shape.ts";
import { requireEntitled } from "../../value/entitled.ts";
import type { Json } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import { decodeUtf8 } from "../../value/utf8.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

interface Args {
  readonly value: SourceArgument;
  readonly key: string | null;
  readonly algorithm?: string | null;
  readonly encoding?: string | null;
  readonly json?: boolean | null;
}

interface Ready {
  readonly value: Source;
  readonly key: KeyPath;
  readonly algorithm: Algorithm;
  readonly encoding: ByteEncoding;
  readonly json: boolean;
}

/** Stage 1 parses the paths, and refuses unknown algorithms and encodings. */
export function prepare({ value, key, algorithm, encoding, json }: Args): Ready {
  return {
    value: source(value),
    key: keyPath(key),
    algorithm: oneOf("algorithm", algorithm, algorithms, "gzip"),
    encoding: oneOf("encoding", encoding, byteEncodings, "base64"),
    json: json ?? false,
  };
}

/**
 * Unpacks what `compress` made with the same options, and writes the text, or the value that it is the JSON of, under the key; the source
 * stays. Neither the packed nor the unpacked bytes may be more than `max_compress_bytes`: a small text that would grow is refused early.
 */
export async function decompress(data: Json, { value, key, algorithm, encoding, json }: Ready, act: Act): Promise<Json> {
  requireEntitled(act.run.host, "compression");
  const packed = encodedBytes(sourceText(data, value), encoding);
  const text = decodeUtf8(await unpack(packed, algorithm, act.run.host.limits.maxCompressBytes));
  return write(data, key, json ? await decodedJsonFor(text, act) : text, isRoot(value));
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const json = onlyValue(argument(args, "json"));
  return keyedFrom(data, args, "value", ofText(json === false || json === null ? string : any));
}

export const spec: Transform<Args, Ready> = {
  summary: "Unpack a compressed text.",
  schema: {
    type: "object",
    required: ["value", "key"],
    additionalProperties: false,
    properties: {
      value: {
        type: "string",
        context: "source",
        description: "Path of the compressed text, or a marker that gives it; empty means all data.",
      },
      key: { type: "string", context: "path", description: "Where the result is written." },
      algorithm: { type: "string", enum: algorithms, default: "gzip", description: "Format of the compressed bytes; it is not guessed." },
      encoding: {
        type: "string",
        enum: byteEncodings,
        default: "base64",
        description: "How the bytes are written; either alphabet of Base64 is read as the other.",
      },
      json: { type: "boolean", default: false, description: "Parse the text as JSON." },
    },
  },
  bounds: "input and output of `max_compress_bytes`",
  // The limit is that of the process.
  effect: "limits",
  async: true,
  prepare,
  run: decompress,
  shape,
};
