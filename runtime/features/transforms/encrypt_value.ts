import { nonceBytes, seal, secretKeyOf } from "../../keys/aes-gcm.ts";
import { type KeyPath, keyPath, valueAt, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source } from "../../paths/source.ts";
import { keyedFrom, ofAny } from "../../shapes/arguments.ts";
import { object, string } from "../../shapes/shape.ts";
import { bytesOf } from "../../value/bytes.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { encodeUtf8 } from "../../value/utf8.ts";
import { text } from "../../value/values.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly key: string | null;
  readonly data: SourceArgument;
  readonly secret_key: string;
  readonly nonce: string;
}

interface Ready {
  readonly key: KeyPath;
  readonly data: Source;
  readonly secret_key: string;
  readonly nonce: string;
}

/** Stage 1 parses the paths. */
export function prepare({ key, data, secret_key, nonce }: Args): Ready {
  return { key: keyPath(key), data: source(data), secret_key, nonce };
}

/**
 * Encrypts a value and writes `{value, nonce, tag}` under the key, all in Base64: what `decrypt_value` takes. Text is encrypted as it is,
 * anything else as compact JSON; the empty text has a tag, too. The value itself stays in the data. Fails on a key or a nonce of another
 * size, and on a text with a lone surrogate.
 */
export function encrypt_value(data: Json, { key, data: from, secret_key, nonce }: Ready): Json {
  const plain = "path" in from ? valueAt(data, from.path) : from.value;
  const sealed = seal(encodeUtf8(plain === null ? "null" : text(plain)), secretKeyOf(secret_key), nonceOf(nonce));
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  return write(data, key, { value: base64(sealed.value), nonce: base64(nonceOf(nonce)), tag: base64(sealed.tag) }, isRoot(from));
}

function nonceOf(text: string): Buffer {
  const nonce = bytesOf(text, "base64");
  if (nonce === undefined) throw new Failure("transform", "invalid base64");
  if (nonce.length !== nonceBytes) throw new Failure("transform", `nonce must be ${nonceBytes} bytes, found ${nonce.length}`);
  return nonce;
}

export const spec: Transform<Args, Ready> = {
  summary: "Encrypt a value with a secret key (AES-256-GCM).",
  schema: {
    type: "object",
    required: ["key", "data", "secret_key", "nonce"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where `value`, `nonce` and `tag` are written." },
      data: { type: "string", context: "source", description: "Path of the value to encrypt, or a marker that gives it." },
      secret_key: { type: "string", description: "The key: Base64 of 32 bytes." },
      nonce: { type: "string", description: "Base64 of 12 bytes that must differ for every value encrypted with this key." },
    },
  },
  effect: "pure",
  hides: true,
  prepare,
  run: encrypt_value,
  shape: (data, { shape: args }) => keyedFrom(data, args, "data", ofAny(object({ value: string, nonce: string, tag: string }))),
};
