import { literalPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import { detail, plainText } from "../../value/target.ts";
import { text } from "../../value/values.ts";
import type { Matcher } from "../feature.ts";

/** The opposite of `ends_with`: null and targets without a text pass. */
export function not_ends_with(target: Json, part: Json): Verdict {
  return plainText(target)?.endsWith(text(part)) !== true || detail`expected target ${target} ending with ${part}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text does not end with the given one.",
  decides: true,
  schema: { type: ["string", "number"], context: "text", description: "The end that is refused." },
  run: not_ends_with,
  describe: (part) => ({ type: "string", not: { pattern: `${literalPattern(text(part))}$` } }),
};
