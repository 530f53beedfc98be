import { isUtf8 } from "node:buffer";
import { bytesOf } from "../value/bytes.ts";
import type { Json, JsonObject } from "../value/json.ts";

/** The credentials in an Authorization header, by the name of its scheme (spec/language 6.4). */
export interface Authorization extends JsonObject {
  Basic?: { username: string; password: string };
  Bearer?: string;
}

/** Reads the value of an Authorization header (RFC 7617, RFC 6750); undefined when it is neither Basic nor Bearer, or malformed. */
export function authorization(header: Json): Authorization | undefined {
  const [, scheme = "", token = ""] = (typeof header === "string" && /^(Basic|Bearer) +([\w.~+/-]+=*)$/i.exec(header.trim())) || [];
  if (scheme.toLowerCase() === "bearer") return { Bearer: token };
  const pair = scheme === "" ? undefined : bytesOf(token, "base64");
  if (pair === undefined || !isUtf8(pair)) return undefined;
  const [, username, password] = /^([^:]*):(.*)$/s.exec(pair.toString()) ?? [];
  return username === undefined || password === undefined ? undefined : { Basic: { username, password } };
}

/** The bare token of a Bearer header, user and password of a Basic one; anything else as it is. */
export function credentials(header: Json): Json {
  const parts = authorization(header);
  return parts?.Bearer ?? parts?.Basic ?? header;
}
