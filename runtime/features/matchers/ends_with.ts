import { literalPattern } from "../../languages/schema/json-schema.ts";
import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { detail, plainText } from "../../value/target.ts";
import { text } from "../../value/values.ts";
import type { Matcher } from "../feature.ts";

/** The text of a string or number ends with the operand; any other target fails. */
export function ends_with(target: Json, part: Json): Verdict {
  return plainText(target)?.endsWith(text(part)) === true || detail`expected target ${target} not ending with ${part}`;
}

export const spec: Matcher<string | number> = {
  summary: "The text ends with the given one.",
  meansText: true,
  decides: true,
  schema: { type: ["string", "number"], context: "text", description: "The end." },
  run: ends_with,
  describe: (part) => ({ type: "string", pattern: `${literalPattern(text(part))}$` }),
  shape: /* @__PURE__ */ onlyTypes("number", "string"),
};
