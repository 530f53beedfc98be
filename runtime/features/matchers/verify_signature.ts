import { type DigestEncoding, digestEncodings } from "../../keys/hmac.ts";
import { knownKey } from "../../keys/public-keys.ts";
import { isSigned, type SignatureAlgorithm, signatureAlgorithms, verifyingKey } from "../../keys/signature.ts";
import type { Run } from "../../run/run.ts";
import type { Verdict } from "../../run/verdict.ts";
import { bytesOf } from "../../value/bytes.ts";
import type { Json } from "../../value/json.ts";
import { unset } from "../../value/operand.ts";
import type { Matcher } from "../feature.ts";

/** Null is a marker that is unset. */
type Operand = {
  readonly public_key: string | null;
  readonly signature: string | null;
  readonly algorithm?: string | null;
  readonly encoding?: string | null;
};

/** The prepared operand. A member that is missing or wrong is undefined; the test then fails. */
interface Ready {
  readonly unset: string | undefined;
  readonly algorithm: SignatureAlgorithm | undefined;
  readonly encoding: DigestEncoding | undefined;
  readonly key: string | undefined;
  readonly signature: Buffer | undefined;
}

/** Stage 1 looks up the algorithm and the encoding. Parts that are missing or unknown become undefined. */
export function prepare(operand: Operand): Ready {
  const { public_key, signature, algorithm: algorithmName = "ed25519", encoding: encodingName = "hex" } = operand;
  const algorithm = signatureAlgorithms.find((name) => name === algorithmName);
  const encoding = digestEncodings.find((name) => name === encodingName);
  return {
    unset: unset(operand),
    algorithm,
    encoding,
    key: public_key ?? undefined,
    signature: encoding === undefined || typeof signature !== "string" ? undefined : bytesOf(signature.trim(), encoding),
  };
}

/** The target is a text, and the signature is that of its UTF-8 bytes by the owner of the public key. Any doubt fails the test. */
export function verify_signature(target: Json, { unset, algorithm, encoding, key: keyText, signature }: Ready, cx: Run): Verdict {
  if (unset !== undefined) return unset;
  const failed = "signature verification failed";
  if (algorithm === undefined || encoding === undefined || keyText === undefined) return failed;
  if (signature === undefined || typeof target !== "string") return failed;
  const key = knownKey(cx.host, `${algorithm} ${encoding}`, keyText, (text) => verifyingKey(text, encoding, algorithm));
  return (key !== undefined && isSigned(target, signature, key, algorithm)) || failed;
}

export const spec: Matcher<Operand, Ready> = {
  summary: "The text was signed by the owner of a public key.",
  typed: true,
  schema: {
    type: "object",
    required: ["public_key", "signature"],
    additionalProperties: false,
    properties: {
      public_key: {
        type: "string",
        description: "The key in PEM, or its DER in the encoding of the signature; for ed25519 also its 32 bytes in that encoding.",
      },
      signature: { type: "string", description: "The signature of the text." },
      algorithm: { type: "string", enum: signatureAlgorithms, default: "ed25519", description: "How the text was signed." },
      encoding: { type: "string", enum: digestEncodings, default: "hex", description: "How the signature is written." },
    },
  },
  inRun: true,
  prepare,
  proves: true,
  run: verify_signature,
  target: { type: "string", description: "A text with a valid signature." },
};
