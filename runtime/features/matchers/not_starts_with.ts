import { literalPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import { detail, plainText } from "../../value/target.ts";
import { text } from "../../value/values.ts";
import type { Matcher } from "../feature.ts";

/** The opposite of `starts_with`: null and targets without a text pass. */
export function not_starts_with(target: Json, part: Json): Verdict {
  return plainText(target)?.startsWith(text(part)) !== true || detail`expected target ${target} starting with ${part}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text does not begin with the given one.",
  decides: true,
  schema: { type: ["string", "number"], context: "text", description: "The beginning that is refused." },
  run: not_starts_with,
  describe: (part) => ({ type: "string", not: { pattern: `^${literalPattern(text(part))}` } }),
};
