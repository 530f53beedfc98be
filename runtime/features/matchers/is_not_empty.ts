import type { Verdict } from "../../run/verdict.ts";
import { emptied, unlessNull } from "../../shapes/passing.ts";
import { isObject, type Json } from "../../value/json.ts";
import { show } from "../../value/show.ts";
import type { Matcher } from "../feature.ts";

/** A string, array or object has a size above zero; numbers and booleans are never empty, null always is. False asks for the contrary. */
export function is_not_empty(target: Json, expected: boolean): Verdict {
  if (expected) return !isEmpty(target) || "expected to not be empty";
  return isEmpty(target) || `expected target ${show(target)} to be empty`;
}

function isEmpty(target: Json): boolean {
  if (typeof target === "string" || Array.isArray(target)) return target.length === 0;
  return isObject(target) ? Object.keys(target).length === 0 : target === null;
}

export const spec: Matcher<boolean> = {
  summary: "The text, list or object is not empty.",
  decides: true,
  schema: { type: "boolean", description: "True: it must not be empty. False: it must be empty." },
  run: is_not_empty,
  describe: (expected) => (expected ? { type: ["string", "array"], minLength: 1, minItems: 1 } : {}),
  shape: (target, expected) => (expected === undefined ? target : expected ? unlessNull(target) : emptied(target)),
};
