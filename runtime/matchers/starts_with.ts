import type { Matcher } from "../feature.ts";
import type { Json } from "../json.ts";
import { literalPattern } from "../lib/json-schema.ts";
import { show } from "../lib/show.ts";
import { plainText } from "../lib/target.ts";
import { text } from "../values.ts";
import type { Verdict } from "../verdict.ts";

/** The text of a string or number begins with the operand; any other target fails. */
export function starts_with(target: Json, part: Json): Verdict {
  return plainText(target)?.startsWith(text(part)) === true || `expected target ${show(target)} not starting with ${show(part)}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text begins with the given one.",
  schema: { type: ["string", "number"], description: "The beginning." },
  run: starts_with,
  describe: (part) => ({ type: "string", pattern: `^${literalPattern(text(part))}` }),
};
