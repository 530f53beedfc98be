import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import { holds, membership, membershipSchema, unsetField } from "../../value/membership.ts";
import { detail } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/** The opposite of `contains` with the same operand: null passes. */
export function not_contains(target: Json, operand: Json, options?: MatcherOptions): Verdict {
  const missing = unsetField(operand, options?.isValue);
  if (missing !== undefined) return missing;
  return (
    !holds(target, membership(operand, options?.isValue), options?.case_insensitive) ||
    detail`expected target ${target} containing ${operand}`
  );
}

export const spec: Matcher<Json> = {
  summary: "The text does not have a part, the list no such element, the object no such key.",
  schema: membershipSchema,
  options: true,
  comparesMembers: true,
  hasForms: true,
  run: not_contains,
};
