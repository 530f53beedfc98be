import type { Matcher } from "../feature.ts";
import type { Json } from "../json.ts";
import { literalPattern } from "../lib/json-schema.ts";
import { show } from "../lib/show.ts";
import { plainText } from "../lib/target.ts";
import { text } from "../values.ts";
import type { Verdict } from "../verdict.ts";

/** The contrary of `ends_with`: null and targets without a text pass. */
export function not_ends_with(target: Json, part: Json): Verdict {
  return plainText(target)?.endsWith(text(part)) !== true || `expected target ${show(target)} ending with ${show(part)}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text does not end with the given one.",
  schema: { type: ["string", "number"], description: "The end that is refused." },
  run: not_ends_with,
  describe: (part) => ({ type: "string", not: { pattern: `${literalPattern(text(part))}$` } }),
};
