import { numberPattern, sizes } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { unset } from "../../value/operand.ts";
import { detail, numeric, shownTarget, sizeOf } from "../../value/target.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/** Both bounds belong to the range. */
interface Range {
  readonly min: Json;
  readonly max: Json;
}

/**
 * A number, the characters of a string or the size of an array or object lies within the bounds. Null, booleans and a bound that is no
 * number fail.
 */
export function is_between(target: Json, { min, max }: Range, options?: MatcherOptions): Verdict {
  const missing = unset({ min, max });
  if (missing !== undefined) return missing;
  const size = sizeOf(target, options);
  if (typeof size === "string") return size;
  const holds = numeric(min) <= size && size <= numeric(max);
  return holds || detail`expected target ${shownTarget(target, options)} not between ${min} and ${max}`;
}

export const spec: Matcher<Range> = {
  summary: "The number, or the length of the text or list, lies within the bounds.",
  orders: "within",
  decides: true,
  schema: {
    type: "object",
    required: ["min", "max"],
    additionalProperties: false,
    properties: {
      min: { type: ["number", "string"], pattern: numberPattern, description: "The least value that passes." },
      max: { type: ["number", "string"], pattern: numberPattern, description: "The greatest value that passes." },
    },
    description: "The bounds; both belong to the range.",
  },
  options: true,
  run: is_between,
  describe: ({ min, max }) => ({
    type: ["number", "string", "array"],
    minimum: numeric(min),
    maximum: numeric(max),
    ...sizes(numeric(min), numeric(max)),
  }),
  shape: /* @__PURE__ */ onlyTypes("number", "string", "array", "object"),
};
