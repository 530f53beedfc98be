import { authorization } from "../../keys/authorization.ts";
import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/**
 * The target is the value of an Authorization header of scheme Basic or Bearer; user and password, or the token, are found under the name
 * of the scheme. False asks for the contrary. In a test it runs first, and the other matchers see the bare token, or user and password.
 */
export function is_authorization(target: Json, expected: boolean): Verdict {
  const credentials = authorization(target);
  if ((credentials !== undefined) !== expected) return "invalid authorization header";
  return credentials === undefined ? true : { found: credentials };
}

export const spec: Matcher<boolean> = {
  summary: "The value is a Basic or Bearer Authorization header.",
  typed: true,
  schema: { type: "boolean", description: "True: it must be one. False: it must not be one." },
  run: is_authorization,
  finds: true,
  describe: (expected) => (expected ? { type: "string", description: "Value of an Authorization header, Basic or Bearer." } : {}),
};
