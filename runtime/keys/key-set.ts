import { createPublicKey, type KeyObject } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { algorithmsOf } from "./public-keys.ts";

/** Gives the key of a token by `alg` and `kid` of its header, or says why there is none. */
export type KeySet = (alg: string, kid: Json | undefined) => KeyObject | string;

/** A key of a set, with its own description. */
interface Member {
  readonly key: KeyObject;
  readonly jwk: JsonObject;
}

/** choice: more keys than any provider has. */
const maxKeys = 100;

/** A JSON Web Key Set (RFC 7517); undefined when the value is none. A key in it that cannot be read counts as missing. */
export function keySetOf(value: Json): KeySet | undefined {
  const list = isObject(value) ? value.keys : undefined;
  if (!Array.isArray(list) || list.length > maxKeys || !list.every(isObject)) return undefined;
  const members = list.flatMap((jwk): readonly Member[] => {
    const key = keyOf(jwk);
    return key === undefined ? [] : [{ key, jwk }];
  });
  return (alg, kid) => {
    const [only, second] = members.filter((member) => fits(member, alg, kid));
    if (only === undefined) return "no key of the set fits";
    // Several keys fit. Choosing one would be a guess, and trying all of them would let the sender of a token decide how much work we do.
    return second === undefined ? only.key : "cannot be verified";
  };
}

/** The public key of an entry; undefined for a private key, which must not be published, and for a shared secret. */
function keyOf(jwk: JsonObject): KeyObject | undefined {
  if (jwk.d !== undefined || typeof jwk.kty !== "string") return undefined;
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return undefined;
  }
}

/**
 * Finds the key of a token. A key serves the algorithms of its type, and its own description can only narrow them. A token without `kid`
 * needs a set in which only one key fits.
 */
function fits({ key, jwk }: Member, alg: string, kid: Json | undefined): boolean {
  if (!algorithmsOf(key).includes(alg) || (jwk.alg !== undefined && jwk.alg !== alg)) return false;
  if (kid !== undefined && (typeof kid !== "string" || kid !== jwk.kid)) return false;
  const operations = jwk.key_ops;
  return (jwk.use ?? "sig") === "sig" && (operations === undefined || (Array.isArray(operations) && operations.includes("verify")));
}
