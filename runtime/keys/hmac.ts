import { createHmac, hash as digestOf, timingSafeEqual } from "node:crypto";

/** Hash functions of digests and one-time codes. SHA-1 is still sound inside an HMAC, and most authenticator apps know only SHA-1. */
export const hashes = ["sha1", "sha256", "sha512"] as const;
export type Hash = (typeof hashes)[number];

/** How a digest is written. */
export const digestEncodings = ["hex", "base64"] as const;
export type DigestEncoding = (typeof digestEncodings)[number];

/** Bytes of a block of each hash function (FIPS 180-4). */
const blocks = { sha1: 64, sha256: 64, sha384: 128, sha512: 128 } as const;
type HashName = keyof typeof blocks;

/** choice: the longest message, in characters or bytes, that is copied behind the key. For longer ones the object of OpenSSL costs less. */
const short = 2048;

/** HMAC (RFC 2104) of a message; a text counts as its UTF-8 bytes. */
export function hmacOf(hash: HashName, key: string | Uint8Array, message: string | Uint8Array): Buffer {
  if (message.length <= short) return ofShort(hash, key, message);
  return fromBinary(createHmac(hash, key).update(message).digest("binary"));
}

// Memory for keys and messages. It is not of Node's pool, where buffers of other code would lie next to it. The annotations let a bundle
// that only calls `badSecret`, such as that of the playground, leave it out.
const keys = /* @__PURE__ */ Buffer.allocUnsafeSlow(3 * 128);
const inner = /* @__PURE__ */ Buffer.allocUnsafeSlow(128 + 3 * short);
const outer = /* @__PURE__ */ Buffer.allocUnsafeSlow(128 + 64);

/**
 * HMAC by its definition, H(K ^ opad, H(K ^ ipad, message)). Two calls of a hash function take half of the time of `createHmac`, which also
 * makes an object for the garbage collector.
 */
function ofShort(hash: HashName, key: string | Uint8Array, message: string | Uint8Array): Buffer {
  const block = blocks[hash];
  const length = key.length > block ? Number.POSITIVE_INFINITY : put(keys, key, 0);
  const size = length > block ? keys.write(digestOf(hash, key, "binary"), "binary") : length;
  for (let i = 0; i < block; i++) {
    const byte = i < size ? (keys[i] ?? 0) : 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  const end = block + put(inner, message, block);
  const last = block + outer.write(digestOf(hash, inner.subarray(0, end), "binary"), block, "binary");
  return fromBinary(digestOf(hash, outer.subarray(0, last), "binary"));
}

/** Copies bytes, or a text as UTF-8, and gives their number. */
function put(memory: Buffer, content: string | Uint8Array, at: number): number {
  if (typeof content === "string") return memory.write(content, at);
  memory.set(content, at);
  return content.length;
}

/**
 * The bytes of a digest that was computed as a binary text: OpenSSL would give a digest of bytes memory of its own, a fifth of the whole
 * time.
 */
const fromBinary = (digest: string): Buffer => Buffer.from(digest, "binary");

/**
 * Why a text cannot be a shared secret; undefined when it can. Any caller knows an empty secret or a public key and could sign with it
 * (spec/language 6.7), and a lone surrogate has no bytes.
 */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

/**
 * Why a text is no shared secret; undefined when it is one. Every caller knows an empty secret or a public key, and could sign with it
 * (spec/language 6.7). A lone surrogate has no bytes.
 */
export function badSecret(secret: string): string | undefined {
  if (secret === "") return "the secret is empty";
  if (!secret.isWellFormed()) return "the secret holds a lone surrogate";
  return isKeyText(secret) ? "the secret is a key for asymmetric signatures" : undefined;
}

/** A PEM key or certificate, or a JWK or set of them: what belongs to the public must never count as a shared secret. */
function isKeyText(secret: string): boolean {
  return /^\s*-----BEGIN /.test(secret) || (/^\s*\{/.test(secret) && /"(?:kty|keys)"\s*:/.test(secret));
}
