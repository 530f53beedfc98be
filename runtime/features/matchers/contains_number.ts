import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** A string with at least one digit, of any script; false asks for a string without any. Targets that are no strings fail. */
export function contains_number(target: Json, expected: boolean): Verdict {
  if (typeof target === "string" && /\p{Nd}/u.test(target) === expected) return true;
  return expected ? "expected target to contain number" : "expected target to not contain number";
}

export const spec: Matcher<boolean> = {
  summary: "The text has at least one digit.",
  typed: true,
  schema: { type: "boolean", description: "True: at least one. False: none." },
  run: contains_number,
  describe: (expected) => (expected ? { type: "string", pattern: "\\p{Nd}" } : { type: "string", not: { pattern: "\\p{Nd}" } }),
  shape: /* @__PURE__ */ onlyTypes("string"),
};
