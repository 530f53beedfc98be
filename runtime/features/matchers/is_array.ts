import type { Verdict } from "../../run/verdict.ts";
import { ofTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** The target is an array; false asks for the contrary, which null meets. */
export function is_array(target: Json, wanted: boolean): Verdict {
  return Array.isArray(target) === wanted || `expected target to ${wanted ? "" : "not "}be an array`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is a list.",
  schema: { type: "boolean", description: "True: it must be a list. False: it must not be one." },
  run: is_array,
  describe: (wanted) => (wanted ? { type: "array" } : { not: { type: "array" } }),
  shape: ofTypes("array"),
};
