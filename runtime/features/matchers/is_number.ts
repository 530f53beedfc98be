import type { Verdict } from "../../run/verdict.ts";
import { ofTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { readAs } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/**
 * The target is a number; false asks for the contrary, which null meets. Text of a parameter, a header
 * or a variable, which its transport knows only as text, is read.
 */
export function is_number(target: Json, expected: boolean, options?: MatcherOptions): Verdict {
  const is = options?.reading === undefined ? typeof target === "number" : readAs(target, options.reading) !== undefined;
  return is === expected || `expected target to ${expected ? "" : "not "}be a number`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is a number.",
  typed: true,
  readsText: "text_number",
  schema: { type: "boolean", description: "True: it must be a number. False: it must not be one." },
  options: true,
  run: is_number,
  describe: (expected) => (expected ? { type: "number" } : { not: { type: "number" } }),
  shape: /* @__PURE__ */ ofTypes("number"),
};
