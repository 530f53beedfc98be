import { isUtf8 } from "node:buffer";
import { constants, type KeyObject, verify } from "node:crypto";
import { parseJson } from "../formats/json-text.ts";
import { Failure } from "../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../value/json.ts";
import { hmacOf, sameBytes } from "./hmac.ts";
import type { KeySet } from "./key-set.ts";
import { algorithmsOf } from "./public-keys.ts";

/** Finds the key of a token among those of a provider, which may have to be asked for them. */
export type KeyFinder = (...header: Parameters<KeySet>) => Promise<ReturnType<KeySet>>;

/** The rules for a token: the key that must have signed it, and the claims that it must have (spec/language 6.7). */
export interface TokenRules {
  /** A shared secret, a public key, or what finds the key of a token among those of a provider. */
  readonly key: string | KeyObject | KeyFinder;
  /** The algorithms that suit the key: never taken from the token alone, so that it cannot choose a weaker one. */
  readonly algorithms: readonly string[];
  readonly issuer?: string;
  readonly audience?: string;
  /** True when a token without `exp` is refused. */
  readonly requireExpiry?: boolean;
}

/** choice: characters of a token; providers stay far below, and what is longer is not even decoded. */
const longest = 16_384;
/** Seconds by which clocks may differ (spec/language 6.7). */
const leeway = 60;

const malformed = "malformed";
const wrongSignature = "wrong signature";
/** The reason for a key that does not suit the algorithm, for a key that is too weak, and for an unknown critical header. */
const cannotBeVerified = "cannot be verified";

/**
 * The claims of a compact JWS whose signature, `exp` and `nbf` hold at `now` (Unix milliseconds), and `iss` and `aud` where the rules name
 * them. Otherwise the reason in fixed words, which repeat nothing of the token or the key. `none` is no algorithm, and key addresses inside
 * a token are not followed.
 *
 * This uses node:crypto and not jose, because jose hands each signature to a thread, which takes three to ten times as long, and accepts
 * several texts of one token. A test compares both.
 */
export function verifyToken(text: string, rules: TokenRules, now: number): JsonObject | string | Promise<JsonObject | string> {
  if (text.length > longest) return `longer than ${longest} characters`;
  const token = tokenOf(text);
  if (typeof token === "string") return token;
  const { key, algorithms } = rules;
  if (!algorithms.includes(token.alg)) return "algorithm not allowed";
  if (typeof key !== "function") return verified(token, key, rules, now);
  return key(token.alg, own(token.header, "kid")).then((material) =>
    typeof material === "string" ? material : verified(token, material, rules, now),
  );
}

/** A token of which only the header has been read. */
interface Token {
  readonly header: JsonObject;
  readonly alg: string;
  /** The text that is signed. */
  readonly message: string;
  readonly body: string;
  readonly signature: Buffer;
}

/**
 * Splits a token. Only strict Base64url is read, so that each token has one text: a second text of it would pass a list of denied tokens.
 */
function tokenOf(text: string): Token | string {
  const [, message = "", head = "", body = "", seal = ""] = /^(([\w-]+)\.([\w-]+))\.([\w-]*)$/.exec(text) ?? [];
  const header = partOf(head);
  const signature = bytesOf(seal);
  if (header === undefined || signature?.toString("base64url") !== seal) return malformed;
  const { alg } = header;
  const fault = criticalFault(header);
  if (fault !== undefined || typeof alg !== "string" || alg === "") return fault ?? malformed;
  return { header, alg, message, body, signature };
}

/**
 * Header parameters that are called critical must be understood (RFC 7515 4.1.11): `b64`, which changes nothing when it is true, and
 * nothing else.
 */
function criticalFault({ crit, b64 }: JsonObject): string | undefined {
  if (crit === undefined) return undefined;
  if (!Array.isArray(crit) || crit.length === 0 || !crit.every((name) => typeof name === "string" && name !== "")) return malformed;
  if (crit.some((name) => name !== "b64")) return cannotBeVerified;
  return b64 === true ? undefined : malformed;
}

/** The bytes of a part; undefined when its length leaves one character of Base64url over. */
const bytesOf = (part: string): Buffer | undefined => (part.length % 4 === 1 ? undefined : Buffer.from(part, "base64url"));

/** A part of a token, which has only characters of Base64url, that is a JSON object. */
function partOf(part: string): JsonObject | undefined {
  const bytes = bytesOf(part);
  const value = bytes !== undefined && isUtf8(bytes) ? parseJson(bytes.toString()) : undefined;
  return value !== undefined && isObject(value) ? value : undefined;
}

function verified(token: Token, key: string | KeyObject, rules: TokenRules, now: number): JsonObject | string {
  const fault = signatureFault(token, key);
  if (fault !== undefined) return fault;
  const claims = partOf(token.body);
  if (claims === undefined) return malformed;
  return audienceFault(claims, rules) ?? timeFault(claims, Math.floor(now / 1000)) ?? claims;
}

/** Hash functions by the size that ends the name of an algorithm (RFC 7518, 3.1). */
const hashes: ReadonlyMap<string, "sha256" | "sha384" | "sha512"> = new Map([
  ["256", "sha256"],
  ["384", "sha384"],
  ["512", "sha512"],
]);

/** The reason why a signature does not hold. HMAC needs a shared secret and never takes a public key, whatever the header says. */
function signatureFault({ alg, message, signature }: Token, key: string | KeyObject): string | undefined {
  const hash = hashes.get(alg.slice(2));
  if (typeof key === "string") {
    if (key === "" || !alg.startsWith("HS") || hash === undefined) return cannotBeVerified;
    return sameBytes(signature, hmacOf(hash, key, message)) ? undefined : wrongSignature;
  }
  if (!algorithmsOf(key).includes(alg) || isShort(key)) return cannotBeVerified;
  return isSigned(message, key, alg, hash, signature) ? undefined : wrongSignature;
}

/** True when the owner of a public key has signed a message. `hash` is undefined for algorithms of Edwards curves, which have their own. */
function isSigned(message: string, key: KeyObject, alg: string, hash: string | undefined, signature: Buffer): boolean {
  const bytes = Buffer.from(message);
  if (alg.startsWith("ES")) return verify(hash, bytes, { key, dsaEncoding: "ieee-p1363" }, signature);
  if (!alg.startsWith("PS")) return verify(hash, bytes, key, signature);
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  return verify(hash, bytes, { key, padding, saltLength }, signature);
}

/** True for an RSA key that is too short to count (RFC 7518, 3.3). */
const isShort = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) < 2048;

/** Checks who may use a token, and whether all claims are there that must be. */
function audienceFault({ iss, aud, exp }: JsonObject, { issuer, audience, requireExpiry }: TokenRules): string | undefined {
  if (issuer !== undefined && iss === undefined) return "wrong issuer";
  if (audience !== undefined && aud === undefined) return "wrong audience";
  if (requireExpiry === true && exp === undefined) return "no exp claim";
  if (issuer !== undefined && iss !== issuer) return "wrong issuer";
  return audience === undefined || aud === audience || (Array.isArray(aud) && aud.includes(audience)) ? undefined : "wrong audience";
}

/** Times of a token (RFC 7519, 4.1). */
function timeFault({ iat, nbf, exp }: JsonObject, seconds: number): string | undefined {
  if (!isTime(iat) || !isTime(nbf)) return "malformed claims";
  if (nbf !== undefined && nbf > seconds + leeway) return "not valid yet";
  if (!isTime(exp)) return "malformed claims";
  return exp !== undefined && exp <= seconds - leeway ? "expired" : undefined;
}

const isTime = (claim: Json | undefined): claim is number | undefined => claim === undefined || typeof claim === "number";

/**
 * The claims of a compact JWS, with or without `Bearer ` before it. Nothing is verified. A text that is not a token (RFC 7519 7.2: header
 * and claims are JSON objects) fails with words that repeat no part of the text.
 */
export function decodeToken(token: string): JsonObject {
  const [, header = "", claims = ""] = /^(?:Bearer +)?([\w-]+)\.([\w-]+)\.[\w-]*$/i.exec(token) ?? [];
  const decoded = partOf(claims);
  if (partOf(header) === undefined || decoded === undefined) throw new Failure("transform", "not a JWT");
  return decoded;
}
