import { badSecret } from "../../keys/hmac.ts";
import { keyFinder } from "../../keys/jwks.ts";
import { type TokenRules, verifyToken } from "../../keys/jwt.ts";
import { algorithmsOf, asymmetric, knownKey, publicKey } from "../../keys/public-keys.ts";
import { hostOf, touches } from "../../outgoing/touches.ts";
import type { Run } from "../../run/run.ts";
import type { Verdict } from "../../run/verdict.ts";
import { Reject } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import { boolean, string } from "../../value/values.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/** As written: undefined is absent, null a marker that is unset. */
interface Expected {
  readonly secret?: string | null | undefined;
  readonly public_key?: string | null | undefined;
  readonly jwks_url?: string | null | undefined;
  readonly alg?: string | null | undefined;
  readonly iss?: string | null | undefined;
  readonly aud?: string | null | undefined;
  readonly require_exp?: boolean | null | undefined;
}

type TextField = Exclude<keyof Expected, "require_exp">;

const keyFields = ["secret", "public_key", "jwks_url"] as const;

/** Stage 1: a text is the shared secret of HS256; a map names exactly one key. */
export function prepare(operand: Json): Expected {
  if (Array.isArray(operand)) throw new Reject("PW114", "'is_valid_jwt': expected string or object, got array");
  if (!isObject(operand)) return { secret: string(operand), alg: "HS256" };
  const field = (name: TextField): string | null | undefined => {
    const value = own(operand, name);
    return value === undefined ? undefined : string(value);
  };
  const [first, second] = keyFields.filter((name) => field(name) !== undefined);
  if (first === undefined) throw new Reject("PW113", "is_valid_jwt needs 'secret', 'public_key' or 'jwks_url'");
  if (second !== undefined) throw new Reject("PW115", `'${first}' and '${second}' exclude each other`);
  const [secret, public_key, jwks_url] = keyFields.map(field);
  const must = own(operand, "require_exp");
  const require_exp = must === undefined ? undefined : boolean(must, "require_exp");
  return { secret, public_key, jwks_url, alg: field("alg"), iss: field("iss"), aud: field("aud"), require_exp };
}

/**
 * The token, with or without `Bearer ` before it, is signed with the key and valid now; its claims are found. The key fixes the algorithms:
 * a secret those of HMAC, a public key or one of a provider those of its type, and `alg` just one of them. The key set of a provider is
 * kept for ten minutes, or an hour while it cannot be fetched. Clocks may differ by 60 seconds: that long a token is valid after its `exp`
 * and before its `nbf`. A token without `exp` never ends, and fails if `require_exp` is true. The signature is strict
 * Base64url, so that a token has one text: no padding, no blank, no unused bits. Any doubt fails the test (spec/language 6.7).
 */
export function is_valid_jwt(target: Json, expected: Expected, cx: Run, options?: MatcherOptions): Verdict | Promise<Verdict> {
  if (Object.values(expected).includes(null)) return "expected value is not set";
  const claims = claimsOf(target, rulesOf(expected, cx), cx.host.now());
  return claims instanceof Promise ? claims.then((result) => verdict(result, options)) : verdict(claims, options);
}

/** As `is_valid_jwt`, with an operand that names no `jwks_url`: nothing has to be waited for. */
export function atOnce(target: Json, expected: Expected, cx: Run, options?: MatcherOptions): Verdict {
  const verdict = is_valid_jwt(target, expected, cx, options);
  if (verdict instanceof Promise) throw new Error("is_valid_jwt waits for a key set, which the compiler has excluded");
  return verdict;
}

/** The claims, or why there are none. */
function claimsOf(target: Json, rules: TokenRules | string, now: number): JsonObject | string | Promise<JsonObject | string> {
  if (typeof target !== "string") return "no token";
  return typeof rules === "string" ? rules : verifyToken(target.replace(/^Bearer +/i, ""), rules, now);
}

const verdict = (claims: JsonObject | string, options: MatcherOptions | undefined): Verdict =>
  typeof claims === "string" ? `invalid jwt: ${claims}` : { found: { [options?.result_key ?? "jwt_claims"]: claims } };

/** The rules for a token, or the reason why the operand gives none. */
function rulesOf({ secret, public_key, jwks_url, alg, iss, aud, require_exp }: Expected, cx: Run): TokenRules | string {
  // An empty text is an expectation that no token meets; it does not switch the check off.
  const expiry = require_exp === true ? { requireExpiry: true } : {};
  const claims = { ...expiry, ...(typeof iss === "string" ? { issuer: iss } : {}), ...(typeof aud === "string" ? { audience: aud } : {}) };
  const algorithmsFrom = (suitable: readonly string[]): readonly string[] => suitable.filter((one) => alg === undefined || one === alg);
  if (typeof secret === "string") {
    return badSecret(secret) ?? { key: secret, algorithms: algorithmsFrom(["HS256", "HS384", "HS512"]), ...claims };
  }
  if (typeof jwks_url === "string") {
    const url = URL.parse(jwks_url);
    if (url !== null) touches(cx, hostOf(url));
    const key = keyFinder(cx.host, jwks_url);
    return key === undefined ? "the address of the key set is no url" : { key, algorithms: algorithmsFrom(asymmetric), ...claims };
  }
  const key = knownKey(cx.host, "pem", public_key ?? "", publicKey);
  return key === undefined ? "the public key cannot be read" : { key, algorithms: algorithmsFrom(algorithmsOf(key)), ...claims };
}

export const spec: Matcher<Json, Expected> = {
  summary: "The token is signed with the key and valid now.",
  typed: true,
  finds: true,
  schema: {
    anyOf: [
      { type: "string", description: "Shared secret of HS256." },
      {
        type: "object",
        additionalProperties: false,
        allOf: [
          { not: { required: ["secret", "public_key"] } },
          { not: { required: ["secret", "jwks_url"] } },
          { not: { required: ["public_key", "jwks_url"] } },
        ],
        properties: {
          secret: { type: "string", description: "Shared secret of HS256, HS384 and HS512." },
          public_key: { type: "string", description: "Public key or certificate in PEM; its type decides which algorithms count." },
          jwks_url: { type: "string", context: "config", description: "Address of a provider's key set (JWKS)." },
          alg: { type: "string", description: "The only algorithm that counts, such as RS256." },
          iss: { type: "string", description: "Issuer that the token must name." },
          aud: { type: "string", description: "Audience that the token must name." },
          require_exp: { type: "boolean", default: false, description: "True: a token that never ends, since it has no `exp`, fails." },
        },
      },
    ],
  },
  async: true,
  waitsFor: "jwks_url",
  prepare,
  options: true,
  proves: true,
  run: is_valid_jwt,
  target: { type: "string", description: "A JSON Web Token." },
};
