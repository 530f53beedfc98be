import type { Verdict } from "../../run/verdict.ts";
import { ofTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** The target is an array; false asks for the contrary, which null meets. */
export function is_array(target: Json, expected: boolean): Verdict {
  return Array.isArray(target) === expected || `expected target to ${expected ? "" : "not "}be an array`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is a list.",
  typed: true,
  decides: true,
  schema: { type: "boolean", description: "True: it must be a list. False: it must not be one." },
  run: is_array,
  describe: (expected) => (expected ? { type: "array" } : { not: { type: "array" } }),
  shape: /* @__PURE__ */ ofTypes("array"),
};
