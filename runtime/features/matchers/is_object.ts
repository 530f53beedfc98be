import type { Verdict } from "../../run/verdict.ts";
import { ofTypes } from "../../shapes/passing.ts";
import { isObject, type Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** The target is an object; false asks for the contrary, which null meets. */
export function is_object(target: Json, expected: boolean): Verdict {
  return isObject(target) === expected || `expected target to ${expected ? "" : "not "}be an object`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is an object.",
  typed: true,
  schema: { type: "boolean", description: "True: it must be an object. False: it must not be one." },
  run: is_object,
  describe: (expected) => (expected ? { type: "object" } : { not: { type: "object" } }),
  shape: /* @__PURE__ */ ofTypes("object"),
};
