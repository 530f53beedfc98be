import { isUtf8 } from "node:buffer";
import { type KeyObject, verify } from "node:crypto";
import { parseJson } from "../formats/json-text.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { hmacOf, sameBytes } from "./hmac.ts";
import { algorithmsOf } from "./public-keys.ts";

/** What the claims of a token must say besides its times (language.md 6.7). */
export interface ExpectedClaims {
  readonly issuer?: string;
  readonly audience?: string;
  /** A token has to end. */
  readonly requireExpiry?: boolean;
}

/** Seconds by which clocks may differ (decisions.md). */
export const leeway = 60;

/**
 * The claims of a compact JWS that evidently holds; undefined for all others: the library decides about them and says what is wrong. It hands each
 * signature to a thread, which takes three to ten times as long as to check one here. So this never accepts what the library refuses
 * (test/runtime/keys/usual-token.slow.test.ts).
 */
export function usualClaims(
  token: string,
  key: string | KeyObject,
  algorithms: readonly string[],
  expected: ExpectedClaims,
  now: number,
): JsonObject | undefined {
  const alg = usualHeader(token, algorithms)?.alg;
  const [, header = "", body = "", seal = ""] = partsOf(token) ?? [];
  const signature = bytesOf(seal);
  if (alg === undefined || signature === undefined || !isStrict(token) || !isSealed(`${header}.${body}`, signature, alg, key))
    return undefined;
  const claims = partOf(body);
  return claims !== undefined && isInForce(claims, expected, now) ? claims : undefined;
}

/** The header of a token that may be checked here: it names one of these algorithms, and nothing that is critical. */
export type UsualHeader = JsonObject & { readonly alg: string };

export function usualHeader(token: string, algorithms: readonly string[]): UsualHeader | undefined {
  const [, header = ""] = partsOf(token) ?? [];
  const said = partOf(header);
  if (typeof said?.alg !== "string" || said.crit !== undefined || !algorithms.includes(said.alg)) return undefined;
  return { ...said, alg: said.alg };
}

/** Stricter than what reads Base64 below: no other alphabet, no padding, no white space. */
const partsOf = (token: string): RegExpExecArray | null => /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token);

/** A part of a token, which has only characters of Base64url, that is a JSON object. */
export function partOf(part: string): JsonObject | undefined {
  const bytes = bytesOf(part);
  const value = bytes !== undefined && isUtf8(bytes) ? parseJson(bytes.toString()) : undefined;
  return value !== undefined && isObject(value) ? value : undefined;
}

/** Undefined when a character is left over. */
const bytesOf = (part: string): Buffer | undefined => (part.length % 4 === 1 ? undefined : Buffer.from(part, "base64url"));

/** The last part of a token is Base64url as an encoder writes it: a second text of the same token would pass a list of tokens that are denied. */
export function isStrict(token: string): boolean {
  const seal = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(seal, "base64url").toString("base64url") === seal;
}

/** Hash functions by the size that ends the name of an algorithm (RFC 7518, 3.1). */
const hashes: ReadonlyMap<string, "sha256" | "sha384" | "sha512"> = new Map([
  ["256", "sha256"],
  ["384", "sha384"],
  ["512", "sha512"],
]);

/** A shared secret fits HMAC only and a public key never does, whatever the header says. */
function isSealed(message: string, signature: Buffer, alg: string, key: string | KeyObject): boolean {
  const family = alg.slice(0, 2);
  const hash = hashes.get(alg.slice(2));
  if (hash === undefined) return false;
  if (typeof key === "string") return family === "HS" && sameBytes(signature, hmacOf(hash, key, message));
  if (!algorithmsOf(key).includes(alg)) return false;
  // The library takes no shorter key of RSA (RFC 7518, 3.3).
  if (family === "RS") return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048 && verify(hash, Buffer.from(message), key, signature);
  return family === "ES" && verify(hash, Buffer.from(message), { key, dsaEncoding: "ieee-p1363" }, signature);
}

/** Claims that the library has nothing to say against (RFC 7519, 4.1). */
function isInForce({ iss, aud, exp, nbf, iat }: JsonObject, { issuer, audience, requireExpiry }: ExpectedClaims, now: number): boolean {
  const seconds = Math.floor(now / 1000);
  if (!isTime(exp) || !isTime(nbf) || !isTime(iat)) return false;
  if (exp === undefined && requireExpiry === true) return false;
  if (exp !== undefined && exp <= seconds - leeway) return false;
  if (nbf !== undefined && nbf > seconds + leeway) return false;
  if (issuer !== undefined && iss !== issuer) return false;
  return audience === undefined || aud === audience || (Array.isArray(aud) && aud.includes(audience));
}

const isTime = (claim: Json | undefined): claim is number | undefined => claim === undefined || typeof claim === "number";
