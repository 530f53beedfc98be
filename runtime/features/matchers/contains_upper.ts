import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** A string with at least one upper-case letter, of any script; false asks for a string without any. Targets that are no strings fail. */
export function contains_upper(target: Json, expected: boolean): Verdict {
  if (typeof target === "string" && /\p{Lu}/u.test(target) === expected) return true;
  return expected ? "expected target to contain upper" : "expected target to not contain upper";
}

export const spec: Matcher<boolean> = {
  summary: "The text has at least one upper-case letter.",
  typed: true,
  meansText: true,
  schema: { type: "boolean", description: "True: at least one. False: none." },
  run: contains_upper,
  describe: (expected) => (expected ? { type: "string", pattern: "\\p{Lu}" } : { type: "string", not: { pattern: "\\p{Lu}" } }),
  shape: /* @__PURE__ */ onlyTypes("string"),
};
