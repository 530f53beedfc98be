import { literalPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { detail, plainText } from "../../value/target.ts";
import { text } from "../../value/values.ts";
import type { Matcher } from "../feature.ts";

/** The text of a string or number begins with the operand; any other target fails. */
export function starts_with(target: Json, part: Json): Verdict {
  return plainText(target)?.startsWith(text(part)) === true || detail`expected target ${target} not starting with ${part}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text begins with the given one.",
  meansText: true,
  decides: true,
  schema: { type: ["string", "number"], context: "text", description: "The beginning." },
  run: starts_with,
  describe: (part) => ({ type: "string", pattern: `^${literalPattern(text(part))}` }),
  shape: /* @__PURE__ */ onlyTypes("number", "string"),
};
