import type { Matcher } from "../feature.ts";
import type { Json } from "../json.ts";
import { notNull } from "../lib/json-schema.ts";
import { show } from "../lib/show.ts";
import type { Verdict } from "../verdict.ts";

/** The target is null or absent; false asks for the contrary. */
export function is_null(target: Json, wanted: boolean): Verdict {
  if (wanted) return target === null || `expected target ${show(target)} to be null`;
  return target !== null || "expected to not be null";
}

export const spec: Matcher<boolean> = {
  summary: "The value is null or absent.",
  schema: { type: "boolean", description: "True: it must be null. False: it must not be null." },
  run: is_null,
  describe: (wanted) => (wanted ? { type: "null" } : notNull),
};
