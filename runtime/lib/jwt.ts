import { isUtf8 } from "node:buffer";
import { createPublicKey, type KeyObject } from "node:crypto";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { Failure } from "../failure.ts";
import { isObject, type JsonObject } from "../json.ts";
import { bytesOf } from "./bytes.ts";
import { parseJson } from "./json-text.ts";

/** What finds the key of a token among those of a provider. */
export type KeyFinder = JWTVerifyGetKey;

/** The keys of a JSON Web Key Set; what is none is thrown. */
export async function keyFinderOf(set: JSONWebKeySet): Promise<KeyFinder> {
  const { createLocalJWKSet } = await import("jose");
  return createLocalJWKSet(set);
}

/** What a signed token must be signed with, and what it must say (language.md 6.7). */
export interface TokenRules {
  /** Bytes of a shared secret, a public key, or what finds the key of a token among those of a provider. */
  readonly key: Uint8Array | KeyObject | KeyFinder;
  /** The algorithms that suit the key: never taken from the token alone, so that it cannot choose a weaker one. */
  readonly algorithms: readonly string[];
  readonly issuer?: string;
  readonly audience?: string;
}

/** Seconds by which clocks may differ (decisions.md). */
const leeway = 60;

/** choice: characters of a token; providers stay far below, and what is longer is not even decoded. */
const longest = 16_384;

/**
 * The claims of a compact JWS whose signature, `exp`, `nbf`, and where asked for `iss` and `aud`, hold at `now` (Unix milliseconds); otherwise the
 * reason in fixed words, which repeat nothing of the token or the key. `none` is no algorithm, and key addresses inside a token are not followed.
 * The library is loaded on first use.
 */
export async function verifyToken(
  token: string,
  { key, algorithms, issuer, audience }: TokenRules,
  now: number,
): Promise<JsonObject | string> {
  if (token.length > longest) return `longer than ${longest} characters`;
  const { errors, jwtVerify } = await import("jose");
  try {
    const find = typeof key === "function" ? key : (): typeof key => key;
    const { payload } = await jwtVerify(token, find, {
      algorithms: [...algorithms],
      clockTolerance: leeway,
      currentDate: new Date(now),
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    });
    return payload as JsonObject; // the result of JSON.parse
  } catch (error) {
    if (error instanceof errors.JWTExpired) return "expired";
    if (error instanceof errors.JWTClaimValidationFailed) return claimReason(error.claim, error.reason);
    if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm not allowed";
    if (error instanceof errors.JWSSignatureVerificationFailed) return "wrong signature";
    if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return "malformed";
    if (error instanceof errors.JWKSNoMatchingKey) return "no key of the set fits";
    if (error instanceof Failure) return error.message;
    // choice: whatever else the library refuses (an unknown `crit` header, a key that is too short) fails the token, too.
    return "cannot be verified";
  }
}

/**
 * The claims of a compact JWS, with or without `Bearer ` before it, of which nothing is verified. What is no token (RFC 7519 7.2: header and claims are
 * JSON objects) fails with words that repeat nothing of it.
 */
export function decodeToken(token: string): JsonObject {
  const [, header = "", claims = ""] = /^(?:Bearer +)?([\w-]+)\.([\w-]+)\.[\w-]*$/i.exec(token) ?? [];
  const decoded = decodedObject(claims);
  if (decodedObject(header) === undefined || decoded === undefined) throw new Failure("transform", "not a JWT");
  return decoded;
}

function decodedObject(part: string): JsonObject | undefined {
  const bytes = bytesOf(part, "base64");
  const value = bytes !== undefined && isUtf8(bytes) ? parseJson(bytes.toString()) : undefined;
  return value !== undefined && isObject(value) ? value : undefined;
}

/** Which claim it was; `missing` and `invalid` are the library's words. */
function claimReason(claim: string, reason: string): string {
  if (claim === "nbf" && reason === "check_failed") return "not valid yet";
  if (claim === "iss") return "wrong issuer";
  if (claim === "aud") return "wrong audience";
  return "malformed claims";
}

/** A PEM key or certificate, or a JWK or set of them: what belongs to the public must never count as a shared secret. */
export function isKeyText(secret: string): boolean {
  return /^\s*-----BEGIN /.test(secret) || (/^\s*\{/.test(secret) && /"(?:kty|keys)"\s*:/.test(secret));
}

/** A public key in PEM; undefined when it cannot be read. */
export function publicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

/** What keys of a provider may sign with: never a shared secret. */
export const asymmetric: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** The algorithms of a public key, by its type and curve; none for keys that sign no tokens. */
export function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly string[] {
  switch (asymmetricKeyType) {
    case "rsa":
      return ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
    case "ec":
      return curves[asymmetricKeyDetails?.namedCurve ?? ""] ?? [];
    case "ed25519":
      return ["EdDSA", "Ed25519"];
    default:
      return [];
  }
}

/** By the names of OpenSSL. */
const curves: Readonly<Record<string, readonly string[]>> = { prime256v1: ["ES256"], secp384r1: ["ES384"], secp521r1: ["ES512"] };
