import type { Matcher } from "../feature.ts";
import type { Json } from "../json.ts";
import { literalPattern } from "../lib/json-schema.ts";
import { show } from "../lib/show.ts";
import { plainText } from "../lib/target.ts";
import { text } from "../values.ts";
import type { Verdict } from "../verdict.ts";

/** The contrary of `starts_with`: null and targets without a text pass. */
export function not_starts_with(target: Json, part: Json): Verdict {
  return plainText(target)?.startsWith(text(part)) !== true || `expected target ${show(target)} starting with ${show(part)}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text does not begin with the given one.",
  schema: { type: ["string", "number"], description: "The beginning that is refused." },
  run: not_starts_with,
  describe: (part) => ({ type: "string", not: { pattern: `^${literalPattern(text(part))}` } }),
};
