import type { Matcher, Verdict } from "../feature.ts";
import type { Json } from "../json.ts";
import { type Condition, condition } from "../lib/condition.ts";

/** As written when it has no markers; else its text, in which `$0` stands for the first of the values. */
type Operand = string | { readonly text: string; readonly values: readonly Json[] };

interface Ready {
  readonly holds: Condition;
  readonly values: readonly Json[];
}

/** Stage 1: what is not in the language is PW513. */
export function prepare(operand: Operand): Ready {
  const { text, values } = typeof operand === "string" ? { text: operand, values: [] } : operand;
  return { holds: condition(text, values.length), values };
}

/**
 * The expression comes to true; the target does not count. Text that is a number counts as one. What cannot be decided fails: an order between
 * text and a number, a division by zero, an unset marker anywhere but beside `== null` or `!= null`.
 */
export function expression(_: Json, { holds, values }: Ready): Verdict {
  return holds(values) || "expected expression to be true";
}

export const spec: Matcher<Operand, Ready> = {
  summary: "An expression over markers is true.",
  schema: {
    type: "string",
    context: "expression",
    description: "Numbers, text in quotes, true, false, null, markers, and `== != < <= > >= && || ! + - * / % ( )`.",
  },
  prepare,
  run: expression,
};
