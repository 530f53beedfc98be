import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import { detail } from "../../value/target.ts";
import type { Matcher } from "../feature.ts";

/** The value is the operand. Say when a value passes, then the edges: other types, null, an operand that is unset. */
export function feature_name(target: Json, operand: string): Verdict {
  return target === operand || detail`expected target ${target} not meeting ${operand}`;
}

export const spec: Matcher<string> = {
  summary: "Say in a sentence what it tests.",
  schema: { type: "string", description: "The operand." },
  run: feature_name,
};
