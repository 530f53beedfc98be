import type { Verdict } from "../../run/verdict.ts";
import { ofTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { readAs } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/**
 * The target is true or false; false asks for the contrary, which null meets. Text of a parameter, a header
 * or a variable, which its transport knows only as text, is read.
 */
export function is_boolean(target: Json, expected: boolean, options?: MatcherOptions): Verdict {
  const is = options?.reading === undefined ? typeof target === "boolean" : readAs(target, options.reading) !== undefined;
  return is === expected || `expected target to ${expected ? "" : "not "}be a boolean`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is true or false.",
  typed: true,
  readsText: "text_boolean",
  schema: { type: "boolean", description: "True: it must be true or false. False: it must not be either." },
  options: true,
  run: is_boolean,
  describe: (expected) => (expected ? { type: "boolean" } : { not: { type: "boolean" } }),
  shape: /* @__PURE__ */ ofTypes("boolean"),
};
