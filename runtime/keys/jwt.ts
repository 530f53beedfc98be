import { KeyObject } from "node:crypto";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { Failure } from "../value/failure.ts";
import type { JsonObject } from "../value/json.ts";
import { type ExpectedClaims, isStrict, leeway, partOf, type UsualHeader, usualClaims, usualHeader } from "./usual-token.ts";

/** What finds the key of a token among those of a provider. */
export type KeyFinder = JWTVerifyGetKey;

/** The keys of a JSON Web Key Set; what is none is thrown. */
export async function keyFinderOf(set: JSONWebKeySet): Promise<KeyFinder> {
  const { createLocalJWKSet } = await import("jose");
  return createLocalJWKSet(set);
}

/** What a signed token must be signed with, and what it must say (language.md 6.7). */
export interface TokenRules extends ExpectedClaims {
  /** A shared secret, a public key, or what finds the key of a token among those of a provider. */
  readonly key: string | KeyObject | KeyFinder;
  /** The algorithms that suit the key: never taken from the token alone, so that it cannot choose a weaker one. */
  readonly algorithms: readonly string[];
}

/** choice: characters of a token; providers stay far below, and what is longer is not even decoded. */
const longest = 16_384;

/**
 * The claims of a compact JWS whose signature, `exp`, `nbf`, and where asked for `iss` and `aud`, hold at `now` (Unix milliseconds); otherwise the
 * reason in fixed words, which repeat nothing of the token or the key. `none` is no algorithm, and key addresses inside a token are not followed.
 */
export function verifyToken(token: string, rules: TokenRules, now: number): JsonObject | string | Promise<JsonObject | string> {
  if (token.length > longest) return `longer than ${longest} characters`;
  const { key } = rules;
  if (typeof key === "function") return byProvider(token, key, rules, now);
  return usualClaims(token, key, rules.algorithms, rules, now) ?? byLibrary(token, rules, now);
}

/** With a key of the provider, which is asked for the kinds of tokens alone that may be checked here; what it says against them it says to the library, too. */
async function byProvider(token: string, find: KeyFinder, rules: TokenRules, now: number): Promise<JsonObject | string> {
  const header = usualHeader(token, rules.algorithms);
  const key = header === undefined ? undefined : await found(find, header);
  return (key && usualClaims(token, key, rules.algorithms, rules, now)) ?? byLibrary(token, rules, now);
}

async function found(find: KeyFinder, header: UsualHeader): Promise<KeyObject | undefined> {
  try {
    const key = await find(header, { payload: "", signature: "" });
    return key instanceof CryptoKey ? KeyObject.from(key) : undefined;
  } catch {
    return undefined;
  }
}

/** The library is loaded on first use. */
export async function byLibrary(
  token: string,
  { key, algorithms, issuer, audience, requireExpiry }: TokenRules,
  now: number,
): Promise<JsonObject | string> {
  if (!isStrict(token)) return "malformed";
  const { errors, jwtVerify } = await import("jose");
  try {
    const find = typeof key === "function" ? key : () => (typeof key === "string" ? Buffer.from(key) : key);
    const { payload } = await jwtVerify(token, find, {
      algorithms: [...algorithms],
      clockTolerance: leeway,
      currentDate: new Date(now),
      ...(requireExpiry === true ? { requiredClaims: ["exp"] } : {}),
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    });
    // The result of JSON.parse.
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

/**
 * The claims of a compact JWS, with or without `Bearer ` before it, of which nothing is verified. What is no token (RFC 7519 7.2: header and claims are
 * JSON objects) fails with words that repeat nothing of it.
 */
export function decodeToken(token: string): JsonObject {
  const [, header = "", claims = ""] = /^(?:Bearer +)?([\w-]+)\.([\w-]+)\.[\w-]*$/i.exec(token) ?? [];
  const decoded = partOf(claims);
  if (partOf(header) === undefined || decoded === undefined) throw new Failure("transform", "not a JWT");
  return decoded;
}

/** Which claim it was; `missing` and `invalid` are the library's words. */
function claimReason(claim: string, reason: string): string {
  if (claim === "nbf" && reason === "check_failed") return "not valid yet";
  if (claim === "exp" && reason === "missing") return "no exp claim";
  if (claim === "iss") return "wrong issuer";
  if (claim === "aud") return "wrong audience";
  return "malformed claims";
}
