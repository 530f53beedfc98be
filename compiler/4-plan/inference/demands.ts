import type { Expr, TestPlan } from "#runtime/plan/index.ts";

/** True when a test asks for a value: all do but one that says of a missing value that it passes. */
export function demands({ optional, matchers }: TestPlan): boolean {
  return !optional && !matchers.some(({ use, operand }) => accepts(use, operand));
}

function accepts(use: string, operand: Expr): boolean {
  if (operand.op !== "lit") return false;
  return (use === "is_null" && operand.value === true) || (use === "is_equal_to" && operand.value === null);
}
