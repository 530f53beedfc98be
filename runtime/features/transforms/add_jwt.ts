import { badSecret, hmacOf } from "../../keys/hmac.ts";
import { type KeyPath, keyPath, read, type ValuePath, valuePath, write } from "../../paths/path.ts";
import type { Act } from "../../run/run.ts";
import { argument, keyed } from "../../shapes/arguments.ts";
import { string as text } from "../../shapes/shape.ts";
import { duration } from "../../value/duration.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { instant } from "../../value/instant.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import { show } from "../../value/show.ts";
import { string } from "../../value/values.ts";
import type { Transform } from "../feature.ts";

interface Args {
  readonly key: string | null;
  readonly secret: string;
  readonly exp?: string | null;
  readonly data: Json;
}

/** The claims, or the members of the data that become claims: those at some paths, each under a name, or all of them. */
type Claims = { readonly of: JsonObject } | { readonly fields: readonly Field[] } | "all";

interface Field {
  readonly name: string;
  readonly path: ValuePath;
}

/** Unix milliseconds, or milliseconds from now. */
type Expiry = { readonly at: number } | { readonly after: number };

interface Ready {
  readonly key: KeyPath;
  readonly secret: string;
  readonly expiry: Expiry | undefined;
  readonly claims: Claims;
}

/** Stage 1: PW512 for an expiry that is neither a duration nor a timestamp, and for a text that cannot be a secret. */
export function prepare({ key, secret, exp, data }: Args): Ready {
  const refusal = badSecret(secret);
  if (refusal !== undefined) throw new Reject("PW512", refusal);
  return { key: keyPath(key), secret, expiry: expiryOf(exp ?? null), claims: claimsOf(data) };
}

function expiryOf(exp: string | null): Expiry | undefined {
  if (exp === null) return undefined;
  const after = duration(exp);
  if (after !== undefined && Number.isSafeInteger(Math.floor(after))) return { after };
  const at = instant(exp);
  if (at === undefined) throw new Reject("PW512", `exp '${show(exp)}' is neither a duration such as 24h nor a timestamp`);
  return { at };
}

function claimsOf(data: Json): Claims {
  if (data === "all") return "all";
  if (isObject(data)) return { of: data };
  if (Array.isArray(data)) return { fields: data.map(fieldOf) };
  throw new Reject("PW114", `'data': expected claims, a list of fields or all, got ${typeOf(data)}`);
}

/** choice: a field goes by the last name of its path, `user.email` as `email`. */
function fieldOf(text: Json): Field {
  const path = valuePath(string(text));
  const name = path.steps.at(-1);
  if (typeof name !== "string") throw new Reject("PW512", `path "${path.text}" does not end in a name`);
  return { name, path };
}

/**
 * Signs a token (HS256) and writes it under the key. Its payload has the claims at the top level, then `iat` and, if asked for, `exp`,
 * which win over claims of the same name; a field that is missing is left out. The rest of the data stays. Fields can only be taken from an
 * object.
 */
export function add_jwt(data: Json, { key, secret, expiry, claims }: Ready, act: Act): Json {
  const payload: JsonObject = { ...claimsIn(data, claims), iat: seconds(act.now) };
  if (expiry !== undefined) payload.exp = seconds("at" in expiry ? expiry.at : act.now + expiry.after);
  const signed = `${base64url({ typ: "JWT", alg: "HS256" })}.${base64url(payload)}`;
  return write(data, key, `${signed}.${hmacOf("sha256", secret, signed).toString("base64url")}`);
}

function claimsIn(data: Json, claims: Claims): JsonObject {
  if (claims !== "all" && "of" in claims) return claims.of;
  if (!isObject(data)) throw new Failure("transform", `expected an object, found ${typeOf(data)}`);
  if (claims === "all") return data;
  const out: JsonObject = {};
  for (const { name, path } of claims.fields) {
    const value = read(data, path);
    if (value !== undefined) put(out, name, value);
  }
  return out;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);

const base64url = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export const spec: Transform<Args, Ready> = {
  summary: "Sign a token (JWT, HS256) that holds claims.",
  schema: {
    type: "object",
    required: ["key", "secret", "data"],
    additionalProperties: false,
    properties: {
      key: { type: "string", context: "path", description: "Where the token is written." },
      secret: { type: "string", description: "The shared secret: its UTF-8 bytes are the key." },
      exp: {
        type: "string",
        description:
          "When the token ends: a duration from now such as `24h`, or a timestamp such as `2030-01-01T00:00:00Z`. Default: never.",
      },
      data: {
        description: "The claims of the token.",
        anyOf: [
          { type: "object", additionalProperties: true, description: "Claims and their values." },
          { type: "array", items: { type: "string", context: "path" }, description: "Fields of the data that become claims." },
          { type: "string", enum: ["all"], description: "Every member of the data." },
        ],
      },
    },
  },
  effect: "clock",
  hides: ["secret"],
  prepare,
  run: add_jwt,
  shape: (data, { shape: args }) => keyed(data, argument(args, "key"), text),
};
