import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** A string with at least one lower-case letter, of any script; false asks for a string without any. Targets that are no strings fail. */
export function contains_lower(target: Json, expected: boolean): Verdict {
  if (typeof target === "string" && /\p{Ll}/u.test(target) === expected) return true;
  return expected ? "expected target to contain lower" : "expected target to not contain lower";
}

export const spec: Matcher<boolean> = {
  summary: "The text has at least one lower-case letter.",
  typed: true,
  meansText: true,
  schema: { type: "boolean", description: "True: at least one. False: none." },
  run: contains_lower,
  describe: (expected) => (expected ? { type: "string", pattern: "\\p{Ll}" } : { type: "string", not: { pattern: "\\p{Ll}" } }),
  shape: /* @__PURE__ */ onlyTypes("string"),
};
