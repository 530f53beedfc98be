import { secretKeyOf, unseal } from "../../keys/aes-gcm.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { isRoot, type Source, type SourceArgument, source, sourceText } from "../../paths/source.ts";
import { argument, keyed, keyedFrom, ofText, onlyValue } from "../../shapes/arguments.ts";
import { type Shape, string } from "../../shapes/shape.ts";
import { bytesOf } from "../../value/bytes.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { decodeUtf8 } from "../../value/utf8.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

interface Args {
  readonly key: string | null;
  readonly value: SourceArgument;
  readonly nonce: SourceArgument;
  readonly tag: SourceArgument;
  readonly secret_key: string;
}

interface Ready {
  readonly key: KeyPath;
  readonly value: Source;
  readonly nonce: Source;
  readonly tag: Source;
  readonly secret_key: string;
}

/** Stage 1 parses the paths. */
export function prepare({ key, value, nonce, tag, secret_key }: Args): Ready {
  return { key: keyPath(key), value: base64Source(value), nonce: base64Source(nonce), tag: base64Source(tag), secret_key };
}

/** Written text is Base64, unless it cannot be, by a dot, a bracket or a `$` in front: then it is a path (spec/transforms 2.3). */
const base64Source = (written: SourceArgument): Source =>
  typeof written === "string" && isBase64(written) ? { value: written } : source(written);

const isBase64 = (written: string): boolean => !/^\$|[.[]/.test(written);

/**
 * Decrypts what `encrypt_value` has made and writes the text under the key. An altered value and a wrong key fail with the same error.
 * The rest of the data stays.
 */
export function decrypt_value(data: Json, { key, value, nonce, tag, secret_key }: Ready): Json {
  const secretKey = secretKeyOf(secret_key);
  const [sealed, once, proof] = [value, nonce, tag].map((part) => bytesOf(sourceText(data, part), "base64"));
  const plain = sealed && once && proof && unseal({ value: sealed, tag: proof }, secretKey, once);
  if (plain === undefined) throw new Failure("transform", "decryption failed");
  return write(data, key, decodeUtf8(plain), isRoot(value));
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const ciphertext = onlyValue(argument(args, "value"));
  if (typeof ciphertext === "string" && isBase64(ciphertext)) return keyed(data, argument(args, "key"), string);
  return keyedFrom(data, args, "value", ofText(string));
}

export const spec: Transform<Args, Ready> = {
  summary: "Decrypt a value with its secret key (AES-256-GCM); fails when anything was altered.",
  schema: {
    type: "object",
    required: ["key", "value", "nonce", "tag", "secret_key"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where the text is written." },
      value: {
        type: "string",
        context: "source",
        description:
          "The encrypted text, in Base64, or a path: with a dot or a bracket in it, such as `sealed.value` or `.sealed`, or with a `$` in front.",
      },
      nonce: { type: "string", context: "source", description: "The nonce of the encryption, in Base64, or such a path." },
      tag: { type: "string", context: "source", description: "The proof that nothing was altered, in Base64, or such a path." },
      secret_key: { type: "string", description: "The key: Base64 of 32 bytes." },
    },
  },
  effect: "pure",
  hides: ["secret_key"],
  prepare,
  run: decrypt_value,
  shape,
};
