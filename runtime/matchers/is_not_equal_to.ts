import type { Matcher, MatcherOptions } from "../feature.ts";
import type { Json } from "../json.ts";
import { matches } from "../lib/equal.ts";
import { show } from "../lib/show.ts";
import type { Verdict } from "../verdict.ts";

/** The contrary of `is_equal_to`; a null target passes unless the operand is null. */
export function is_not_equal_to(target: Json, expected: Json, options?: MatcherOptions): Verdict {
  return !matches(target, expected, options?.case_insensitive) || `expected target ${show(target)} equal to ${show(expected)}`;
}

/** Whether it passes, without a word on why not. */
export const holds = (target: Json, expected: Json): boolean => !matches(target, expected);

export const spec: Matcher<Json> = {
  summary: "The value differs from the given one.",
  schema: { description: "Any value, compared as `is_equal_to` does." },
  options: true,
  run: is_not_equal_to,
  holds,
  describe: (expected) => ({ not: { const: expected } }),
};
