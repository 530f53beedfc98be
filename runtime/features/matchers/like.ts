import { isLike, likeParts } from "../../languages/like.ts";
import { literalPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { detail, plainText } from "../../value/target.ts";
import type { Matcher } from "../feature.ts";

interface Ready {
  readonly pattern: string;
  /** The texts between the `%`. */
  readonly parts: readonly string[];
}

/** Stage 1 splits the pattern at its wildcards. */
export const prepare = (pattern: string): Ready => ({ pattern, parts: likeParts(pattern) });

/**
 * The whole text of a string or number is the pattern: `%` stands for any run of characters, also none; a backslash before it takes that
 * meaning away. `_` is an underscore.
 */
export function like(target: Json, { pattern, parts }: Ready): Verdict {
  const text = plainText(target);
  return (text !== undefined && isLike(text, parts)) || detail`expected target ${target} not like ${pattern}`;
}

export const spec: Matcher<string, Ready> = {
  summary: "The whole text has the form of the pattern, in which `%` stands for anything.",
  schema: { type: "string", context: "like", description: "The pattern, such as `John%`." },
  prepare,
  run: like,
  describe: (pattern) => ({ type: "string", pattern: `^${likeParts(pattern).map(literalPattern).join("[\\s\\S]*")}$` }),
  shape: /* @__PURE__ */ onlyTypes("number", "string"),
};
