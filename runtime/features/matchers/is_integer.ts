import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { readAs } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/**
 * The target is a number without a fraction; false asks for the contrary, which null meets. Text of a parameter, a header
 * or a variable, which its transport knows only as text, is read.
 */
export function is_integer(target: Json, expected: boolean, options?: MatcherOptions): Verdict {
  const is = options?.reading === undefined ? Number.isInteger(target) : Number.isInteger(readAs(target, options.reading));
  return is === expected || `expected target to ${expected ? "" : "not "}be an integer`;
}

export const spec: Matcher<boolean> = {
  summary: "The value is a number without a fraction.",
  typed: true,
  readsText: "text_number",
  schema: { type: "boolean", description: "True: it must be a number without a fraction. False: it must not be one." },
  options: true,
  run: is_integer,
  describe: (expected) => (expected ? { type: "integer" } : { not: { type: "integer" } }),
  shape: (target, expected) => (expected === true ? onlyTypes("number")(target) : target),
};
