import { constant } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { equalTo } from "../../shapes/passing.ts";
import { matches, matchesEvenly } from "../../value/equal.ts";
import type { Json } from "../../value/json.ts";
import { detail } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/**
 * The target equals the operand, read as the target's type: a string is compared with the operand's text, a number with its number, a
 * boolean also with its name; arrays and objects member by member, without coercion and without regard to key order. Null equals only null.
 */
export function is_equal_to(target: Json, expected: Json, { case_insensitive }: MatcherOptions = {}): Verdict {
  return matchesEvenly(target, expected, case_insensitive) || detail`expected target ${target} not equal to ${expected}`;
}

/** True when the test passes, without the reason of a failure. */
export const holds = (target: Json, expected: Json): boolean => matches(target, expected);

export const spec: Matcher<Json> = {
  summary: "The value equals the given one.",
  decides: true,
  schema: { description: "Any value. Scalars are compared as the type of the tested value, lists and objects exactly." },
  options: true,
  comparesNull: true,
  comparesMembers: true,
  run: is_equal_to,
  holds,
  describe: constant,
  shape: equalTo,
};
