import type { Matcher, Verdict } from "../feature.ts";
import type { Json } from "../json.ts";

/** The target is a number; false asks for the contrary, which null meets. */
export function is_number(target: Json, wanted: boolean): Verdict {
  return (typeof target === "number") === wanted || `expected target to ${wanted ? "" : "not "}be a number`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is a number.",
  schema: { type: "boolean", description: "True: it must be a number. False: it must not be one." },
  run: is_number,
  describe: (wanted) => (wanted ? { type: "number" } : { not: { type: "number" } }),
};
