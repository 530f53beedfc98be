import type { Matcher, Verdict } from "../feature.ts";
import type { Json } from "../json.ts";
import { ecmaPattern } from "../lib/json-schema.ts";
import { compile, type Pattern } from "../lib/regex.ts";
import { show } from "../lib/show.ts";
import { plainText } from "../lib/target.ts";

interface Ready {
  readonly source: string;
  readonly pattern: Pattern;
}

/** Stage 1: what is not in the language is PW421. */
export const prepare = (source: string): Ready => ({ source, pattern: compile(source) });

/** The pattern is found somewhere in the text of a string or number; any other target fails. */
export function regex(target: Json, { source, pattern }: Ready): Verdict {
  const text = plainText(target);
  return (text !== undefined && pattern.test(text)) || `expected target ${show(target)} not matching ${show(source)}`;
}

export const spec: Matcher<string, Ready> = {
  summary: "The text matches a regular expression.",
  schema: { type: "string", context: "regex", description: "RE2 expression, not anchored: write `^` and `$` to test the whole text." },
  prepare,
  run: regex,
  describe: (source) => ({ type: "string", ...ecmaPattern(source) }),
};
