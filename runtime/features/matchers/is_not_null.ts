import { notNull } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { unlessNull } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher } from "../feature.ts";

/**
 * The target is there. False asks for nothing: it marks the value as optional, and the compiler then leaves the other tests out for null.
 */
export function is_not_null(target: Json, expected: boolean): Verdict {
  return !expected || target !== null || "expected to not be null";
}

export const spec: Matcher<boolean> = {
  summary: "The value is present and not null; `false` makes it optional.",
  decides: true,
  schema: {
    type: "boolean",
    description: "True: it must not be null. False: with a null value the other matchers of the test are not run.",
  },
  run: is_not_null,
  describe: (expected) => (expected ? notNull : {}),
  shape: (target, expected) => (expected === true ? unlessNull(target) : target),
};
