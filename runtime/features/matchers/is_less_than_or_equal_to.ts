import { numberPattern, sizes } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { detail, measure, numeric, shownTarget, sizeOf } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/**
 * A number, the characters of a string or the size of an array or object is less than or equal to the bound. Null, booleans and a bound
 * that is no number fail.
 */
export function is_less_than_or_equal_to(target: Json, bound: Json, options?: MatcherOptions): Verdict {
  const size = sizeOf(target, options);
  if (typeof size === "string") return size;
  return size <= numeric(bound) || detail`expected target ${shownTarget(target, options)} not less than or equal to ${bound}`;
}

/** True when the test passes, without the reason of a failure. */
export const holds = (target: Json, bound: Json): boolean => measure(target) <= numeric(bound);

export const spec: Matcher<number | string> = {
  summary: "The number, or the length of the text or list, is at most the bound.",
  orders: "to",
  decides: true,
  schema: { type: ["number", "string"], pattern: numberPattern, description: "The bound: a number, or text that is one." },
  options: true,
  run: is_less_than_or_equal_to,
  holds,
  describe: (bound) => {
    const limit = numeric(bound);
    return { type: ["number", "string", "array"], maximum: limit, ...sizes(0, limit) };
  },
  shape: /* @__PURE__ */ onlyTypes("number", "string", "array", "object"),
};
