import type { KeyObject } from "node:crypto";
import type { Matcher, Verdict } from "../feature.ts";
import type { Json } from "../json.ts";
import { bytesOf } from "../lib/bytes.ts";
import { digestEncodings } from "../lib/hmac.ts";
import { unset } from "../lib/operand.ts";
import { isSigned, type SignatureAlgorithm, signatureAlgorithms, verifyingKey } from "../lib/signature.ts";

/** Null is a marker that is unset. */
type Operand = {
  readonly public_key: string | null;
  readonly signature: string | null;
  readonly algorithm?: string | null;
  readonly encoding?: string | null;
};

/** Undefined is what cannot be read, and verifies nothing. */
interface Ready {
  readonly unset: string | undefined;
  readonly algorithm: SignatureAlgorithm | undefined;
  readonly key: KeyObject | undefined;
  readonly signature: Buffer | undefined;
}

/** Stage 1. */
export function prepare(operand: Operand): Ready {
  const { public_key, signature, algorithm: asked = "ed25519", encoding: written = "hex" } = operand;
  const algorithm = signatureAlgorithms.find((known) => known === asked);
  const encoding = digestEncodings.find((known) => known === written);
  const isKnown = algorithm !== undefined && encoding !== undefined;
  return {
    unset: unset(operand),
    algorithm,
    key: isKnown && typeof public_key === "string" ? verifyingKey(public_key, encoding, algorithm) : undefined,
    signature: isKnown && typeof signature === "string" ? bytesOf(signature.trim(), encoding) : undefined,
  };
}

/** The target is a text, and the signature is that of its UTF-8 bytes by the owner of the public key. Any doubt fails the test. */
export function verify_signature(target: Json, { unset, algorithm, key, signature }: Ready): Verdict {
  if (unset !== undefined) return unset;
  const isReady = algorithm !== undefined && key !== undefined && signature !== undefined && typeof target === "string";
  return (isReady && isSigned(target, signature, key, algorithm)) || "signature verification failed";
}

export const spec: Matcher<Operand, Ready> = {
  summary: "The text was signed by the owner of a public key.",
  schema: {
    type: "object",
    required: ["public_key", "signature"],
    additionalProperties: false,
    properties: {
      public_key: { type: "string", description: "The key in PEM; for ed25519 also its 32 bytes in the encoding of the signature." },
      signature: { type: "string", description: "The signature of the text." },
      algorithm: { type: "string", enum: signatureAlgorithms, default: "ed25519", description: "How the text was signed." },
      encoding: { type: "string", enum: digestEncodings, default: "hex", description: "How the signature is written." },
    },
  },
  prepare,
  run: verify_signature,
  describe: () => ({ type: "string", description: "A text with a valid signature." }),
};
