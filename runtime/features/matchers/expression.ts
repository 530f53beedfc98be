import { type Condition, condition } from "../../languages/condition.ts";
import type { Verdict } from "../../run/verdict.ts";
import type { Json } from "../../value/json.ts";
import type { Matcher, MatcherOptions } from "../feature.ts";

/** Stage 1: what is not in the language is PW513. */
export const prepare = (text: string): Condition => condition(text);

/**
 * The expression is true; the value of the test is not used. Text that is a number counts as one. An expression without an answer fails: an
 * order between text and a number, a division by zero, an unset marker anywhere but beside `== null` or `!= null`.
 */
export function expression(_: Json, holds: Condition, options?: MatcherOptions): Verdict {
  return holds(options?.values ?? []) || "expected expression to be true";
}

export const spec: Matcher<string, Condition> = {
  summary: "An expression over markers is true.",
  schema: {
    type: "string",
    context: "expression",
    description:
      "Numbers, text in quotes, true, false, null, markers, and `== != < <= > >= && || ! + - * / % ( )`, such as `a|body::count| > 0 && 'a|body::kind|' != 'tea'`.",
  },
  prepare,
  options: true,
  run: expression,
};
