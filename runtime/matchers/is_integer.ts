import type { Matcher, Verdict } from "../feature.ts";
import type { Json } from "../json.ts";

/** The target is a number without a fraction; false asks for the contrary, which null meets. */
export function is_integer(target: Json, wanted: boolean): Verdict {
  return Number.isInteger(target) === wanted || `expected target to ${wanted ? "" : "not "}be an integer`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is a number without a fraction.",
  schema: { type: "boolean", description: "True: it must be a number without a fraction. False: it must not be one." },
  run: is_integer,
  describe: (wanted) => (wanted ? { type: "integer" } : { not: { type: "integer" } }),
};
