import { notNull } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { ofTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { show } from "../../value/show.ts";
import type { Matcher } from "../feature.ts";

/** The target is null or absent; false asks for the contrary. */
export function is_null(target: Json, expected: boolean): Verdict {
  if (expected) return target === null || `expected target ${show(target)} to be null`;
  return target !== null || "expected to not be null";
}

export const spec: Matcher<boolean> = {
  summary: "The value is null or absent.",
  decides: true,
  schema: { type: "boolean", description: "True: it must be null. False: it must not be null." },
  run: is_null,
  describe: (expected) => (expected ? { type: "null" } : notNull),
  shape: /* @__PURE__ */ ofTypes("null"),
};
