import { literalPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { unlessNull } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { holds, type Membership, membership, membershipSchema, unsetField } from "../../value/membership.ts";
import { type Detail, show } from "../../value/show.ts";
import { detail, numeric } from "../../value/target.ts";
import { text } from "../../value/values.ts";
import type { JsonSchema, Matcher, MatcherOptions } from "../feature.ts";

/**
 * A text has a part, an array an element, an object a key. Of a list of operands one is enough; `{values, at_least}` asks for several of
 * them; with `{allowed, disallowed}` every element, or the scalar itself, is looked at. Null and booleans have no parts.
 */
export function contains(target: Json, operand: Json, options?: MatcherOptions): Verdict {
  const missing = unsetField(operand, options?.isValue);
  if (missing !== undefined) return missing;
  const members = membership(operand, options?.isValue);
  return holds(target, members, options?.case_insensitive) || failureOf(target, operand, members);
}

function failureOf(target: Json, operand: Json, members: Membership): Detail | string {
  if ("any" in members) return detail`expected target ${target} not containing ${operand}`;
  if ("values" in members) return detail`expected target ${target} matching at least ${members.least} of ${[...members.values]}`;
  return `expected target ${show(target)} not allowed`;
}

function describe(operand: Json): JsonSchema {
  const members = membership(operand);
  if ("any" in members)
    return { pattern: members.any.map((value) => literalPattern(text(value))).join("|"), contains: { enum: members.any } };
  if ("values" in members) {
    const [values, least] = [members.values, numeric(members.least)];
    return { contains: { enum: values }, minContains: least, description: `Has at least ${least} of ${show([...values])}.` };
  }
  const { allowed, disallowed } = members;
  return {
    ...(allowed === undefined ? {} : { anyOf: [{ enum: allowed }, { type: "array", items: { enum: allowed } }, { type: "object" }] }),
    ...(disallowed.length === 0 ? {} : { not: { enum: disallowed }, items: { not: { enum: disallowed } } }),
  };
}

export const spec: Matcher<Json> = {
  summary: "The text has a part, the list an element or the object a key.",
  schema: membershipSchema,
  options: true,
  comparesMembers: true,
  hasForms: true,
  run: contains,
  describe,
  shape: unlessNull,
};
