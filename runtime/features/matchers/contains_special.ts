import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/**
 * A string with at least one sign that is neither letter, digit nor white space, of any script; false asks for a string without any.
 * Targets that are no strings fail.
 */
export function contains_special(target: Json, expected: boolean): Verdict {
  if (typeof target === "string" && /[^\p{L}\p{Nd}\s]/u.test(target) === expected) return true;
  return expected ? "expected target to contain special" : "expected target to not contain special";
}

export const spec: Matcher<boolean> = {
  summary: "The text has at least one sign that is neither letter, digit nor white space.",
  typed: true,
  meansText: true,
  schema: { type: "boolean", description: "True: at least one. False: none." },
  run: contains_special,
  // The language of patterns has only white space of ASCII in `\s`.
  describe: (expected) =>
    expected
      ? { type: "string", pattern: "[^\\p{L}\\p{Nd}\\s\\p{Z}\\v]" }
      : { type: "string", not: { pattern: "[^\\p{L}\\p{Nd}\\s\\p{Z}\\v]" } },
  shape: /* @__PURE__ */ onlyTypes("string"),
};
