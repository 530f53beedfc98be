import { isUtf8 } from "node:buffer";
import { createPublicKey, type KeyObject } from "node:crypto";
import type { JSONWebKeySet, JWTClaimVerificationOptions, JWTVerifyGetKey } from "jose";
import { Failure } from "../failure.ts";
import { isObject, type JsonObject } from "../json.ts";
import { bytesOf } from "./bytes.ts";
import { hmacOf, sameBytes } from "./hmac.ts";
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
  /** A shared secret, a public key, or what finds the key of a token among those of a provider. */
  readonly key: string | KeyObject | KeyFinder;
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
  const { errors, jwtVerify, UnsecuredJWT } = await import("jose");
  const rules: JWTClaimVerificationOptions = {
    clockTolerance: leeway,
    currentDate: new Date(now),
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  };
  try {
    const claims = typeof key === "string" ? sealedClaims(token, key, algorithms) : undefined;
    // The result of JSON.parse, here and below.
    if (claims !== undefined) return UnsecuredJWT.decode(`${unsealed}.${claims}.`, rules).payload as JsonObject;
    const find = typeof key === "function" ? key : () => (typeof key === "string" ? Buffer.from(key) : key);
    const { payload } = await jwtVerify(token, find, { ...rules, algorithms: [...algorithms] });
    return payload as JsonObject;
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

/** What a shared secret signs with (RFC 7518, 3.2). */
const digests = [["HS256", "sha256"] as const, ["HS384", "sha384"] as const, ["HS512", "sha512"] as const];

/** The header of a token without signature. */
const unsealed = Buffer.from('{"alg":"none"}').toString("base64url");

/**
 * The part of a token that holds its claims, when the secret has signed it by one of the algorithms and the header says so. All else is undefined, and
 * the library says what is wrong with it: that hands each digest to a thread, which takes ten times as long as to make one here. Nothing of a token is
 * read before its signature holds.
 */
function sealedClaims(token: string, secret: string, algorithms: readonly string[]): string | undefined {
  // Stricter than what reads Base64 below: no other alphabet, no padding, no white space.
  const [, header, claims, signature = ""] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  const given = bytesOf(signature, "base64");
  if (header === undefined || claims === undefined || given === undefined) return undefined;
  const fits = (hash: (typeof digests)[number][1]): boolean => sameBytes(given, hmacOf(hash, secret, `${header}.${claims}`));
  const sealed = digests.find(([alg, hash]) => algorithms.includes(alg) && fits(hash));
  if (sealed === undefined) return undefined;
  const said = decodedObject(header);
  return said?.alg === sealed[0] && said.crit === undefined ? claims : undefined;
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
