import type { Verdict } from "../../run/verdict.ts";
import { differentFrom } from "../../shapes/passing.ts";
import { matches, matchesEvenly } from "../../value/equal.ts";
import type { Json } from "../../value/json.ts";
import { detail } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/** The contrary of `is_equal_to`; a null target passes unless the operand is null. */
export function is_not_equal_to(target: Json, expected: Json, options?: MatcherOptions): Verdict {
  return !matchesEvenly(target, expected, options?.case_insensitive) || detail`expected target ${target} equal to ${expected}`;
}

/** True when the test passes, without the reason of a failure. */
export const holds = (target: Json, expected: Json): boolean => !matches(target, expected);

export const spec: Matcher<Json> = {
  summary: "The value differs from the given one.",
  decides: true,
  schema: { description: "Any value, compared as `is_equal_to` does." },
  options: true,
  comparesNull: true,
  comparesMembers: true,
  run: is_not_equal_to,
  holds,
  describe: (expected) => ({ not: { const: expected } }),
  shape: differentFrom,
};
