import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { bytesOf } from "../value/bytes.ts";
import type { DigestEncoding } from "./hmac.ts";
import { publicKey } from "./public-keys.ts";

/** Ways to sign with a private key (spec/language 6.7). */
export const signatureAlgorithms = ["ed25519", "es256", "rs256"] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/**
 * A key in PEM, or its DER, which is how SendGrid gives it; for Ed25519 also its 32 bytes, which is how Discord gives it. Undefined when it
 * cannot be read or is none of that algorithm: a key never serves for another one. choice: RSA keys below 2048 bits are none.
 */
export function verifyingKey(text: string, encoding: DigestEncoding, algorithm: SignatureAlgorithm): KeyObject | undefined {
  const key = /^\s*-----BEGIN /.test(text) ? publicKey(text) : keyOfBytes(bytesOf(text.trim(), encoding), algorithm);
  if (key === undefined) return undefined;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const suits: Readonly<Record<SignatureAlgorithm, boolean>> = {
    ed25519: type === "ed25519",
    es256: type === "ec" && details?.namedCurve === "prime256v1",
    rs256: type === "rsa" && (details?.modulusLength ?? 0) >= 2048,
  };
  return suits[algorithm] ? key : undefined;
}

function keyOfBytes(bytes: Buffer | undefined, algorithm: SignatureAlgorithm): KeyObject | undefined {
  if (bytes === undefined) return undefined;
  if (algorithm !== "ed25519" || bytes.length !== 32) return publicKey({ key: bytes, format: "der", type: "spki" });
  return createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") } });
}

/** True when the signature is that of the message by the owner of the key. A signature of es256 may be two numbers of 32 bytes, or DER. */
export function isSigned(message: string, signature: Uint8Array, key: KeyObject, algorithm: SignatureAlgorithm): boolean {
  // UTF-8 has no lone surrogates: the bytes would be those of another text.
  if (!message.isWellFormed()) return false;
  const bytes = Buffer.from(message);
  if (algorithm === "ed25519") return verify(null, bytes, key, signature);
  return verify("sha256", bytes, { key, dsaEncoding: signature.length === 64 ? "ieee-p1363" : "der" }, signature);
}
