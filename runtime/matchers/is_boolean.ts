import type { Matcher, Verdict } from "../feature.ts";
import type { Json } from "../json.ts";

/** The target is true or false; false asks for the contrary, which null meets. */
export function is_boolean(target: Json, wanted: boolean): Verdict {
  return (typeof target === "boolean") === wanted || `expected target to ${wanted ? "" : "not "}be a boolean`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is true or false.",
  schema: { type: "boolean", description: "True: it must be true or false. False: it must not be either." },
  run: is_boolean,
  describe: (wanted) => (wanted ? { type: "boolean" } : { not: { type: "boolean" } }),
};
