import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { expect } from "vitest";
import { parseJson } from "#runtime/formats/json-text.ts";
import { type KeyFinder, type TokenRules, verifyToken } from "#runtime/keys/jwt.ts";
import { keySetOf } from "#runtime/keys/key-set.ts";

/** The time of these tests. */
export const now = Date.UTC(2026, 0, 1);

/** That time in the unit of tokens. */
export const seconds = now / 1000;

const secret = "0123456789abcdef0123456789abcdef";

/** The algorithms that a token may name. */
export const families = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "HS256",
  "HS384",
  "HS512",
] as const;

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A pair of each kind. */
export let pairs: Readonly<Record<string, Pair>>;

/** Key sets of providers: one of each key, and one of all. */
export let sets: Readonly<Record<string, { readonly own: KeyFinder; readonly library: JWTVerifyGetKey }>>;

/** Makes keys of every kind. */
export async function makeKeys(): Promise<void> {
  pairs = {
    rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    "short rsa": generateKeyPairSync("rsa", { modulusLength: 1024 }),
    "P-256": generateKeyPairSync("ec", { namedCurve: "P-256" }),
    "P-384": generateKeyPairSync("ec", { namedCurve: "P-384" }),
    "P-521": generateKeyPairSync("ec", { namedCurve: "P-521" }),
    ed25519: generateKeyPairSync("ed25519"),
  };
  const keys = Object.entries(pairs).map(([kind, { publicKey }]) => [kind, publicKey.export({ format: "jwk" })] as const);
  const members = [...keys.map(([kind, key]) => [kind, [key]] as const), ["all", keys.map(([, key]) => key)] as const];
  sets = Object.fromEntries(
    members.map(([kind, keys]) => {
      const set = JSON.stringify({ keys });
      const find = keySetOf(JSON.parse(set));
      return [kind, { own: async (alg, kid) => find?.(alg, kid) ?? "no set", library: createLocalJWKSet(JSON.parse(set)) }];
    }),
  );
}

/** The kinds of keys. */
export const kinds = ["rsa", "short rsa", "P-256", "P-384", "P-521", "ed25519"] as const;

/** Base64url. */
export const coded = (text: string | Buffer): string => Buffer.from(text).toString("base64url");

/** The signature of a message by a key and the hash of an algorithm, whether the algorithm is one of the key or not. */
export function sealOf(message: string, alg: string, kind: string, dsaEncoding: "ieee-p1363" | "der"): Buffer {
  const hash = `sha${/\d+$/.exec(alg)?.[0] ?? 256}`;
  const key = pairs[kind]?.privateKey;
  if (key === undefined || alg.startsWith("HS")) return createHmac(hash, secret).update(message).digest();
  const pss = alg.startsWith("PS") && key.asymmetricKeyType === "rsa";
  const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  return sign(kind === "ed25519" ? null : hash, Buffer.from(message), { key, dsaEncoding, ...padding });
}

type Rules = Omit<TokenRules, "key">;

/** The verdict of jose about a token, in our words. */
async function byLibrary(token: string, key: string | KeyObject | JWTVerifyGetKey, rules: Rules): Promise<object | string> {
  const { algorithms, issuer, audience, requireExpiry } = rules;
  try {
    const find = typeof key === "function" ? key : () => (typeof key === "string" ? Buffer.from(key) : key);
    const { payload } = await jwtVerify(token, find, {
      algorithms: [...algorithms],
      clockTolerance: 60,
      currentDate: new Date(now),
      ...(requireExpiry === true ? { requiredClaims: ["exp"] } : {}),
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) return "expired";
    if (error instanceof errors.JWTClaimValidationFailed) return claimReason(error.claim, error.reason);
    if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm not allowed";
    if (error instanceof errors.JWSSignatureVerificationFailed) return "wrong signature";
    if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return "malformed";
    // A set of public keys has none for HMAC.
    const isUnsuited = error instanceof errors.JOSENotSupported && error.message.includes("JSON Web Key Set");
    if (isUnsuited || error instanceof errors.JWKSNoMatchingKey) return "no key of the set fits";
    return "cannot be verified";
  }
}

function claimReason(claim: string, reason: string): string {
  if (claim === "nbf" && reason === "check_failed") return "not valid yet";
  if (claim === "exp" && reason === "missing") return "no exp claim";
  if (claim === "iss") return "wrong issuer";
  if (claim === "aud") return "wrong audience";
  return "malformed claims";
}

const decoded = (part: string): string => Buffer.from(part, "base64url").toString();

/** The verdicts that we may give about a token of which jose gives this one. */
function expected(token: string, library: object | string): readonly (object | string)[] {
  const [, head = "", body = "", seal] = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(token) ?? [];
  const isStrict = seal !== undefined && Buffer.from(seal, "base64url").toString("base64url") === seal;
  if (!isStrict) return ["malformed"];
  if (parseJson(decoded(head)) === undefined) return ["malformed"];
  // A critical header is judged before the algorithm and the signature.
  if (typeof library === "string" && decoded(head).includes('"crit"')) return [library, "malformed", "cannot be verified"];
  if (parseJson(decoded(body)) === undefined) return typeof library === "string" ? [library, "malformed"] : ["malformed"];
  return [library];
}

/** Gives what was said. */
export async function agrees(
  token: string,
  key: string | KeyObject | { readonly own: KeyFinder; readonly library: JWTVerifyGetKey },
  rules: Rules,
): Promise<unknown> {
  const [own, judge] = typeof key === "object" && "own" in key ? [key.own, key.library] : [key, key];
  const said = await verifyToken(token, { key: own, ...rules }, now);
  const choices = expected(token, await byLibrary(token, judge, rules));
  expect(
    choices.map((choice) => JSON.stringify(choice)),
    token,
  ).toContain(JSON.stringify(said));
  return said;
}

/** The public key of a kind, or the secret. */
export const keyOf = (kind: string): string | KeyObject => pairs[kind]?.publicKey ?? secret;
