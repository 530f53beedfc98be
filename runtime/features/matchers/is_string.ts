import type { Verdict } from "../../run/verdict.ts";
import { ofTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/** The target is a text; false asks for the contrary, which null meets. */
export function is_string(target: Json, expected: boolean): Verdict {
  return (typeof target === "string") === expected || `expected target to ${expected ? "" : "not "}be a string`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is a text.",
  typed: true,
  meansText: true,
  schema: { type: "boolean", description: "True: it must be a text. False: it must not be one." },
  run: is_string,
  describe: (expected) => (expected ? { type: "string" } : { not: { type: "string" } }),
  shape: /* @__PURE__ */ ofTypes("string"),
};
