import { isLike, likeParts } from "../../languages/like.ts";
import { caselessPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import { folded } from "../../value/canonical.ts";
import type { Json } from "../../value/json.ts";
import { detail, plainText } from "../../value/target.ts";
import type { Matcher } from "../feature.ts";

interface Ready {
  readonly pattern: string;
  /** The texts between the `%`. */
  readonly parts: readonly string[];
}

/** Stage 1 splits the pattern at its wildcards, in one case of letters. */
export const prepare = (pattern: string): Ready => ({ pattern, parts: likeParts(folded(pattern)) });

/**
 * The whole text of a string or number is the pattern, without regard to case: `%` stands for any run of characters, also none; a backslash
 * before it takes that meaning away. `_` is an underscore.
 */
export function ilike(target: Json, { pattern, parts }: Ready): Verdict {
  const text = plainText(target);
  return (text !== undefined && isLike(folded(text), parts)) || detail`expected target ${target} not like ${pattern}`;
}

export const spec: Matcher<string, Ready> = {
  summary: "The whole text has the form of the pattern, in which `%` stands for anything; case does not count.",
  schema: { type: "string", context: "like", description: "The pattern, such as `John%`." },
  prepare,
  run: ilike,
  describe: (pattern) => ({ type: "string", pattern: `^${likeParts(pattern).map(caselessPattern).join("[\\s\\S]*")}$` }),
  shape: /* @__PURE__ */ onlyTypes("number", "string"),
};
