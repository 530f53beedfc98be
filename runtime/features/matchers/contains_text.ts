import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** A string with at least one letter, of any script; false asks for a string without any. Targets that are no strings fail. */
export function contains_text(target: Json, expected: boolean): Verdict {
  if (typeof target === "string" && /\p{L}/u.test(target) === expected) return true;
  return expected ? "expected target to contain text" : "expected target to not contain text";
}

export const spec: Matcher<boolean> = {
  summary: "The text has at least one letter.",
  typed: true,
  meansText: true,
  decides: true,
  schema: { type: "boolean", description: "True: at least one. False: none." },
  run: contains_text,
  describe: (expected) => (expected ? { type: "string", pattern: "\\p{L}" } : { type: "string", not: { pattern: "\\p{L}" } }),
  shape: /* @__PURE__ */ onlyTypes("string"),
};
