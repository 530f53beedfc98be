import { createPublicKey, type KeyObject } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { algorithmsOf } from "./public-keys.ts";

/** Gives the key of a token by `alg` and `kid` of its header, or says why there is none. */
export type KeySet = (alg: string, kid: Json | undefined) => KeyObject | string;

/** A key of a set, as it is and as it is described. */
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
    // Which one it is would be a guess, and to try them all would be work that whoever sends a token decides about.
    return second === undefined ? only.key : "cannot be verified";
  };
}

/** Undefined for what is no public key: a private one, which nobody should have published, or a shared secret. */
function keyOf(jwk: JsonObject): KeyObject | undefined {
  if (jwk.d !== undefined || typeof jwk.kty !== "string") return undefined;
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return undefined;
  }
}

/**
 * A key serves the algorithms of its type, and what it says itself only narrows them. A token without `kid` asks for the only key that
 * fits.
 */
function fits({ key, jwk }: Member, alg: string, kid: Json | undefined): boolean {
  if (!algorithmsOf(key).includes(alg) || (jwk.alg !== undefined && jwk.alg !== alg)) return false;
  if (kid !== undefined && (typeof kid !== "string" || kid !== jwk.kid)) return false;
  const operations = jwk.key_ops;
  return (jwk.use ?? "sig") === "sig" && (operations === undefined || (Array.isArray(operations) && operations.includes("verify")));
}
