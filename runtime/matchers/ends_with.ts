import type { Matcher } from "../feature.ts";
import type { Json } from "../json.ts";
import { literalPattern } from "../lib/json-schema.ts";
import { show } from "../lib/show.ts";
import { plainText } from "../lib/target.ts";
import { text } from "../values.ts";
import type { Verdict } from "../verdict.ts";

/** The text of a string or number ends with the operand; any other target fails. */
export function ends_with(target: Json, part: Json): Verdict {
  return plainText(target)?.endsWith(text(part)) === true || `expected target ${show(target)} not ending with ${show(part)}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text ends with the given one.",
  schema: { type: ["string", "number"], description: "The end." },
  run: ends_with,
  describe: (part) => ({ type: "string", pattern: `${literalPattern(text(part))}$` }),
};
