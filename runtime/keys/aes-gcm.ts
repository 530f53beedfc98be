import { createCipheriv, createDecipheriv } from "node:crypto";
import { bytesOf } from "../value/bytes.ts";
import { Failure } from "../value/failure.ts";

/** The result of AES-256-GCM over some bytes. */
export interface Sealed {
  readonly value: Uint8Array;
  readonly tag: Uint8Array;
}

const cipher = "aes-256-gcm";
const keyBytes = 32;
const tagBytes = 16;
export const nonceBytes = 12;

/** The bytes of a key in Base64; fails when they are not the 32 that the cipher needs (spec/transforms 7). */
export function secretKeyOf(base64: string): Buffer {
  const key = bytesOf(base64, "base64");
  if (key === undefined) throw new Failure("transform", "invalid base64");
  if (key.length !== keyBytes) throw new Failure("transform", `secret_key must be ${keyBytes} bytes, found ${key.length}`);
  return key;
}

/**
 * Encrypts (NIST SP 800-38D); `about` must be the same when the result is decrypted. A nonce must never serve twice under one key: the
 * caller who chooses the nonce is responsible for that.
 */
export function seal(plain: Uint8Array, key: Uint8Array, nonce: Uint8Array, about = ""): Sealed {
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(about));
  const value = Buffer.concat([sealing.update(plain), sealing.final()]);
  return { value, tag: sealing.getAuthTag() };
}

/**
 * The bytes that were sealed; undefined when key, nonce, tag and value do not belong together. The result does not tell which of them is
 * wrong.
 */
export function unseal({ value, tag }: Sealed, key: Uint8Array, nonce: Uint8Array, about = ""): Buffer | undefined {
  // Shorter tags, which Node would take, are easier to forge.
  if (tag.length !== tagBytes || nonce.length !== nonceBytes) return undefined;
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(about));
  opening.setAuthTag(tag);
  const plain = opening.update(value);
  try {
    return Buffer.concat([plain, opening.final()]);
  } catch {
    // The last step refuses only a tag that does not fit.
    return undefined;
  }
}
