import { createHmac, timingSafeEqual } from "node:crypto";

/** Hash functions of digests and one-time codes. SHA-1 is still sound inside an HMAC, and what most authenticator apps know. */
export const hashes = ["sha1", "sha256", "sha512"] as const;
export type Hash = (typeof hashes)[number];

/** How a digest is written. */
export const digestEncodings = ["hex", "base64"] as const;
export type DigestEncoding = (typeof digestEncodings)[number];

/** HMAC (RFC 2104) of a message; a text counts as its UTF-8 bytes. */
export function hmacOf(hash: Hash | "sha384", key: string | Uint8Array, message: string | Uint8Array): Buffer {
  // As a text and back: a digest of bytes has memory of its own, which takes a fifth of the whole.
  return Buffer.from(createHmac(hash, key).update(message).digest("binary"), "binary");
}

/** Compares in a time that does not depend on where the bytes differ. Lengths are no secret. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

/**
 * Why a text is no shared secret; undefined when it is one. What anybody can know, nothing or a public key, would let anybody sign
 * (spec/language 6.7).
 */
export function badSecret(secret: string): string | undefined {
  if (secret === "") return "the secret is empty";
  return isKeyText(secret) ? "the secret is a key for asymmetric signatures" : undefined;
}

/** A PEM key or certificate, or a JWK or set of them: what belongs to the public must never count as a shared secret. */
function isKeyText(secret: string): boolean {
  return /^\s*-----BEGIN /.test(secret) || (/^\s*\{/.test(secret) && /"(?:kty|keys)"\s*:/.test(secret));
}
