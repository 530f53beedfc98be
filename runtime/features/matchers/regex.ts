import { native } from "../../languages/native-pattern.ts";
import { longestText, type Pattern } from "../../languages/pattern.ts";
import { compile } from "../../languages/regex.ts";
import { ecmaPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { detail, plainText } from "../../value/target.ts";
import type { Matcher } from "../feature.ts";

interface Ready {
  readonly source: string;
  readonly pattern: Pattern;
}

/** Stage 1: what is not in the language is PW421. */
export const prepare = (source: string): Ready => ({ source, pattern: compile(source) });

/** Prepares with the pattern that the compiler has made. */
export const prepareNative = (source: string, pattern: RegExp): Ready => ({ source, pattern: native(pattern) });

/** The pattern is found somewhere in the text of a string or number; any other target fails. */
export function regex(target: Json, { source, pattern }: Ready): Verdict {
  const text = plainText(target);
  if (text !== undefined && text.length > longestText) return `expected target of at most ${longestText} characters`;
  try {
    return (text !== undefined && pattern.test(text)) || detail`expected target ${target} not matching ${source}`;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

export const spec: Matcher<string, Ready> = {
  summary: "The text matches a regular expression.",
  schema: { type: "string", context: "regex", description: "RE2 expression, not anchored: write `^` and `$` to test the whole text." },
  bounds: "patterns of 4,096 characters and 10,000 instructions, texts of 4,194,304; time linear in the text",
  prepare,
  run: regex,
  describe: (source) => ({ type: "string", ...ecmaPattern(source) }),
  shape: /* @__PURE__ */ onlyTypes("number", "string"),
};
