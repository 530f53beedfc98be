import { badSecret, type DigestEncoding, digestEncodings, type Hash, hashes, hmacOf } from "../../keys/hmac.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { argument, keyed } from "../../shapes/arguments.ts";
import { string } from "../../shapes/shape.ts";
import { Reject } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import { encodeUtf8 } from "../../value/utf8.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly key: string | null;
  readonly data: string;
  readonly secret: string;
  readonly algorithm?: string | null;
  readonly encoding?: string | null;
}

interface Ready {
  readonly key: KeyPath;
  readonly message: string;
  readonly secret: string;
  readonly hash: Hash;
  readonly encoding: DigestEncoding;
}

/** Stage 1: a text that cannot be a secret is PW512. */
export function prepare({ key, data, secret, algorithm, encoding }: Args): Ready {
  const refusal = badSecret(secret);
  if (refusal !== undefined) throw new Reject("PW512", refusal);
  return {
    key: keyPath(key),
    message: data,
    secret,
    hash: oneOf("algorithm", algorithm, hashes, "sha256"),
    encoding: oneOf("encoding", encoding, digestEncodings, "hex"),
  };
}

/**
 * Writes the digest of the message under the key; `is_valid_hmac` with the same options accepts it. A message with a lone surrogate fails.
 * The rest of the data stays.
 */
export function hmac(data: Json, { key, message, secret, hash, encoding }: Ready): Json {
  return write(data, key, hmacOf(hash, secret, encodeUtf8(message)).toString(encoding));
}

export const spec: Transform<Args, Ready> = {
  summary: "Sign a message with a shared secret (HMAC).",
  schema: {
    type: "object",
    required: ["key", "data", "secret"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where the digest is written." },
      data: { type: "string", description: "The message: its UTF-8 bytes are signed, an object as compact JSON." },
      secret: { type: "string", description: "The shared secret: its UTF-8 bytes are the key." },
      algorithm: { type: "string", enum: hashes, default: "sha256", description: "Hash function." },
      encoding: {
        type: "string",
        enum: digestEncodings,
        default: "hex",
        description: "How the digest is written; hex is in small letters.",
      },
    },
  },
  effect: "pure",
  hides: true,
  prepare,
  run: hmac,
  shape: (data, { shape: args }) => keyed(data, argument(args, "key"), string),
};
