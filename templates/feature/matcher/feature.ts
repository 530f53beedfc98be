import type { Json } from "../../value/json.ts";
import { show } from "../../value/show.ts";
import type { Matcher, Verdict } from "../feature.ts";

/** When a value passes. Then the edges: other types, null, an operand that is unset. */
export function feature_name(target: Json, operand: string): Verdict {
  return `feature_name is not written yet, so ${show(target)} does not meet ${show(operand)}`;
}

export const spec: Matcher<string> = {
  summary: "",
  schema: { type: "string", description: "" },
  run: feature_name,
};
