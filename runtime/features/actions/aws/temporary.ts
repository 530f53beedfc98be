import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, own } from "../../../value/json.ts";
import type { ExpiringCredentials } from "./model.ts";

/** Credentials with an end, as containers, machines and processes give them; the token has two names. */
export function temporary(answer: Json): ExpiringCredentials | undefined {
  if (!isObject(answer)) return undefined;
  const text = (name: string): string | undefined => {
    const value = own(answer, name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [access_key_id, secret_access_key] = [text("AccessKeyId"), text("SecretAccessKey")];
  if (access_key_id === undefined || secret_access_key === undefined) return undefined;
  const end = Date.parse(text("Expiration") ?? "");
  return {
    credentials: { access_key_id, secret_access_key, session_token: text("Token") ?? text("SessionToken") },
    ...(Number.isNaN(end) ? {} : { expires: end }),
  };
}

/** The value of a JSON text; undefined when it is none. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
}

export const bad = (reason: string): Failure => new Failure("evaluation", reason);
